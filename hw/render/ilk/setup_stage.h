// SPDX-License-Identifier: GPL-2.0-or-later
// The SF unit: objects are placed on the screen, culled, and become edges and a plane of depth, as on the other platforms; a thread makes the planes of their
// attributes.
#pragma once

#include <array>
#include <vector>

#include "hw/render/ilk/front_end.h"
#include "hw/render/ilk/payload.h"
#include "hw/render/ilk/pixel_stage.h"
#include "hw/render/setup.h"

namespace softgen::render::ilk {

class SetupStage {
 public:
  /// `raster`: placed_raster() of the draw. All outlive it.
  SetupStage(const DrawContext& context, const RasterState& raster, PixelList& out);

  /// Appends what is visible of an object to the list.
  void prepare(const StageObject& object);

 private:
  struct Place {
    float x, y, z, one_over_w;  ///< pixels, whose samples are at halves
  };

  Place place(const Vue& vertex) const;
  float on_grid(double pixels) const;
  static StageObject turned(const StageObject& object, std::array<Place, 3>& places);
  bool run_thread(const StageObject& object, std::span<const Place> places, std::span<uint32_t> planes);
  void put_differences(const StageObject& object, std::span<const Place> places);
  float point_width(const Vue& vertex) const;
  float drawn_width(const Vue& vertex) const;  ///< or of the state

  const DrawContext& context_;
  PixelList& out_;
  UrbEntries entries_;
  Setup setup_;
  Payload payload_;
};

/// The raster state of a draw, whose vertices SetupStage has placed.
RasterState placed_raster(const DrawState& state);

}  // namespace softgen::render::ilk
