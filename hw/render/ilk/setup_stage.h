// SPDX-License-Identifier: GPL-2.0-or-later
// The SF unit: objects are placed on the screen, culled, and become edges and a plane of depth, as on the other platforms; a thread makes the planes of their
// attributes.
#pragma once

#include <array>
#include <vector>

#include "hw/render/ilk/front_end.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/windowizer.h"
#include "hw/render/setup.h"

namespace softgen::render::ilk {

class SetupStage {
 public:
  /// `state`: the draw's common state, with the topology. All outlive it.
  SetupStage(const DrawContext& context, Windowizer& windowizer);

  /// Draws what is visible of an object.
  void draw(const StageObject& object);

 private:
  struct Place {
    float x, y, z, one_over_w;  ///< pixels, whose samples are at halves
  };
  struct SetupMessages;

  Place place(const Vue& vertex) const;
  float on_grid(double pixels) const;
  static StageObject turned(const StageObject& object, std::array<Place, 3>& places);
  bool run_thread(const StageObject& object, std::span<const Place> places);
  void put_differences(const StageObject& object, std::span<const Place> places);
  float point_width(const Vue& vertex) const;
  float drawn_width(const Vue& vertex) const;  ///< or of the state

  const DrawContext& context_;
  Windowizer& windowizer_;
  UrbEntries entries_;
  RasterState raster_;
  Setup setup_;
  PreparedObjects prepared_;
  Payload payload_;
  std::vector<uint32_t> planes_;  ///< the object's setup entry
};

/// The raster state of a draw, whose vertices SetupStage has placed.
RasterState placed_raster(const DrawState& state);

}  // namespace softgen::render::ilk
