// SPDX-License-Identifier: GPL-2.0-or-later
// Frames per second of a Vulkan driver on vkcube's scene, a lit cube with a texture, or on a grid of such cubes with a draw each, off screen: one
// JSON object on stdout, {"renderer": "...", "version": "...", "rates": {"cube": {"value": V, "unit": "frames/s"}}} ("draws" for a grid).
// scripts/bench runs it on anv and on lavapipe.
#include <fmt/format.h>
#include <vulkan/vulkan.h>
#include <CLI/CLI.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "vk_cube.frag.h"
#include "vk_cube.vert.h"

namespace {

constexpr uint32_t texture_size = 256, vertices = 36, frames_at_once = 2;
constexpr VkFormat color_format = VK_FORMAT_R8G8B8A8_UNORM, depth_format = VK_FORMAT_D16_UNORM;  // as vkcube has them

/// The shaders' uniform block, std140.
struct Scene {
  float transform[16];
  float position[vertices][4];
  float place[vertices][4];
};

void require(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw std::runtime_error(fmt::format("{}: VkResult {}", what, static_cast<int>(result)));
}

struct Image {
  VkImage image;
  VkImageView view;
};

struct Buffer {
  VkBuffer buffer;
  void* data;
};

/// Objects are never destroyed: the process does one thing and ends.
class Cube {
 public:
  /// @param grid cubes per row and column
  Cube(VkExtent2D size, uint32_t grid) : size_(size), grid_(grid) {
    open_device();
    const VkDeviceSize unit = properties_.properties.limits.minUniformBufferOffsetAlignment;
    scene_stride_ = static_cast<uint32_t>((sizeof(Scene) + unit - 1) / unit * unit);
    make_targets();
    make_pipeline();
    make_texture();
    make_frames();
  }

  const char* renderer() const { return properties_.properties.deviceName; }
  const char* version() const { return driver_.driverInfo; }

  /// Frames a second, the last ones' ends included.
  double rate(double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
    unsigned done = 0;
    const auto start = Clock::now();
    for (; since(start) < seconds; ++done) draw(done);
    require(vkDeviceWaitIdle(device_), "vkDeviceWaitIdle");
    return done / since(start);
  }

 private:
  struct Frame {
    Buffer scene;
    VkDescriptorSet set;
    VkCommandBuffer commands;
    VkFence done;
  };

  void open_device() {
    const VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "vk_cube", 0, nullptr, 0, VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance_info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &application, 0, nullptr, 0, nullptr};
    VkInstance instance;
    require(vkCreateInstance(&instance_info, nullptr, &instance), "vkCreateInstance");
    uint32_t count = 1;
    const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical_);
    if (count == 0 || (found != VK_SUCCESS && found != VK_INCOMPLETE)) throw std::runtime_error("there is no Vulkan device");
    vkGetPhysicalDeviceProperties2(physical_, &properties_);
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
    const float priority = 1;  // family 0 draws on anv and lavapipe
    const VkDeviceQueueCreateInfo queue_info{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    const VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, nullptr, 0, 1, &queue_info, 0, nullptr, 0, nullptr, nullptr};
    require(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
    vkGetDeviceQueue(device_, 0, 0, &queue_);
    const VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                            VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
    require(vkCreateCommandPool(device_, &pool_info, nullptr, &command_pool_), "vkCreateCommandPool");
  }

  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags flags) {
    for (uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
      if (!(needs.memoryTypeBits >> i & 1) || (memory_.memoryTypes[i].propertyFlags & flags) != flags) continue;
      const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, i};
      VkDeviceMemory memory;
      require(vkAllocateMemory(device_, &info, nullptr, &memory), "vkAllocateMemory");
      return memory;
    }
    throw std::runtime_error("no memory type fits");
  }

  Image image(VkFormat format, VkExtent2D size, VkImageUsageFlags usage, VkImageAspectFlags aspect) {
    Image made;
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {size.width, size.height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage;
    require(vkCreateImage(device_, &info, nullptr, &made.image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device_, made.image, &needs);
    require(vkBindImageMemory(device_, made.image, allocate(needs, 0), 0), "vkBindImageMemory");
    const VkImageViewCreateInfo view{
        VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, nullptr, 0, made.image, VK_IMAGE_VIEW_TYPE_2D, format, {}, {aspect, 0, 1, 0, 1}};
    require(vkCreateImageView(device_, &view, nullptr, &made.view), "vkCreateImageView");
    return made;
  }

  Buffer buffer(VkDeviceSize bytes, VkBufferUsageFlags usage) {
    Buffer made;
    const VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, nullptr, 0, bytes, usage, VK_SHARING_MODE_EXCLUSIVE, 0, nullptr};
    require(vkCreateBuffer(device_, &info, nullptr, &made.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_, made.buffer, &needs);
    const VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    require(vkBindBufferMemory(device_, made.buffer, memory, 0), "vkBindBufferMemory");
    require(vkMapMemory(device_, memory, 0, VK_WHOLE_SIZE, 0, &made.data), "vkMapMemory");
    return made;
  }

  void make_targets() {
    const Image color = image(color_format, size_, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
    const Image depth = image(depth_format, size_, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
    const VkAttachmentDescription attachments[] = {
        {0, color_format, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
        {0, depth_format, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE,
         VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_UNDEFINED,
         VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}};
    const VkAttachmentReference color_use{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
        depth_use{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass{0, VK_PIPELINE_BIND_POINT_GRAPHICS, 0, nullptr, 1, &color_use, nullptr, &depth_use, 0, nullptr};
    // Frames share the targets: one's writes end before the next one clears.
    constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |
                                            VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    constexpr VkAccessFlags writes = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    const VkSubpassDependency order{VK_SUBPASS_EXTERNAL, 0, stages, stages, writes, writes, 0};
    const VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 2, attachments, 1, &subpass, 1, &order};
    require(vkCreateRenderPass(device_, &info, nullptr, &pass_), "vkCreateRenderPass");
    const VkImageView views[] = {color.view, depth.view};
    const VkFramebufferCreateInfo frame{
        VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass_, 2, views, size_.width, size_.height, 1};
    require(vkCreateFramebuffer(device_, &frame, nullptr, &target_), "vkCreateFramebuffer");
  }

  template <size_t N>
  VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits kind, const uint32_t (&code)[N]) {
    const VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, sizeof code, code};
    VkShaderModule module;
    require(vkCreateShaderModule(device_, &info, nullptr, &module), "vkCreateShaderModule");
    return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, kind, module, "main", nullptr};
  }

  void make_pipeline() {
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_VERTEX_BIT, nullptr},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}};
    const VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2, bindings};
    require(vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
    const VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout_, 0, nullptr};
    require(vkCreatePipelineLayout(device_, &layout_info, nullptr, &layout_), "vkCreatePipelineLayout");

    const VkPipelineShaderStageCreateInfo stages[] = {stage(VK_SHADER_STAGE_VERTEX_BIT, vk_cube_vert),
                                                      stage(VK_SHADER_STAGE_FRAGMENT_BIT, vk_cube_frag)};
    VkPipelineVertexInputStateCreateInfo input{};
    input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    const VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, nullptr, 0,
                                                          VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_FALSE};
    const VkViewport viewport{0, 0, static_cast<float>(size_.width), static_cast<float>(size_.height), 0, 1};
    const VkRect2D scissor{{0, 0}, size_};
    const VkPipelineViewportStateCreateInfo view{
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, nullptr, 0, 1, &viewport, 1, &scissor};
    VkPipelineRasterizationStateCreateInfo raster{};
    raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{};
    samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineDepthStencilStateCreateInfo depth{};
    depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
    depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    VkPipelineColorBlendAttachmentState all_channels{};
    all_channels.colorWriteMask = 15;
    VkPipelineColorBlendStateCreateInfo blend{};
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    blend.attachmentCount = 1;
    blend.pAttachments = &all_channels;
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &view;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.layout = layout_;
    info.renderPass = pass_;
    require(vkCreateGraphicsPipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_), "vkCreateGraphicsPipelines");
  }

  void make_texture() {
    texture_ = image(VK_FORMAT_R8G8B8A8_UNORM, {texture_size, texture_size}, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                     VK_IMAGE_ASPECT_COLOR_BIT);
    const Buffer texels = buffer(texture_size * texture_size * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    for (uint32_t i = 0; i < texture_size * texture_size; ++i) static_cast<uint32_t*>(texels.data)[i] = i * 2654435761u;
    const VkCommandBuffer commands = command_buffer();
    begin(commands);
    const auto change = [&](VkImageLayout from, VkImageLayout to, VkAccessFlags written, VkAccessFlags read, VkPipelineStageFlags before,
                            VkPipelineStageFlags after) {
      const VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         nullptr,
                                         written,
                                         read,
                                         from,
                                         to,
                                         VK_QUEUE_FAMILY_IGNORED,
                                         VK_QUEUE_FAMILY_IGNORED,
                                         texture_.image,
                                         {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
      vkCmdPipelineBarrier(commands, before, after, 0, 0, nullptr, 0, nullptr, 1, &barrier);
    };
    change(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT,
           VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
    const VkBufferImageCopy copy{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {texture_size, texture_size, 1}};
    vkCmdCopyBufferToImage(commands, texels.buffer, texture_.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    change(VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT,
           VK_ACCESS_SHADER_READ_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT);
    submit(commands, VK_NULL_HANDLE);
    require(vkDeviceWaitIdle(device_), "vkDeviceWaitIdle");
  }

  void make_frames() {
    VkSamplerCreateInfo sampler_info{};
    sampler_info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    sampler_info.magFilter = sampler_info.minFilter = VK_FILTER_LINEAR;
    VkSampler sampler;
    require(vkCreateSampler(device_, &sampler_info, nullptr, &sampler), "vkCreateSampler");
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, frames_at_once},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, frames_at_once}};
    const VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, frames_at_once, 2, sizes};
    VkDescriptorPool pool;
    require(vkCreateDescriptorPool(device_, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
    for (Frame& f : frames_) {
      f.scene = buffer(VkDeviceSize{scene_stride_} * cubes(), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
      for (uint32_t cube = 0; cube < cubes(); ++cube) put_corners(scene(f, cube));
      const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &set_layout_};
      require(vkAllocateDescriptorSets(device_, &info, &f.set), "vkAllocateDescriptorSets");
      const VkDescriptorBufferInfo scenes{f.scene.buffer, 0, sizeof(Scene)};
      const VkDescriptorImageInfo texture{sampler, texture_.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
      const VkWriteDescriptorSet writes[] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, f.set, 0, 0, 1,
                                              VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, nullptr, &scenes, nullptr},
                                             {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, f.set, 1, 0, 1,
                                              VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &texture, nullptr, nullptr}};
      vkUpdateDescriptorSets(device_, 2, writes, 0, nullptr);
      f.commands = command_buffer();
      record(f);
      const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, VK_FENCE_CREATE_SIGNALED_BIT};
      require(vkCreateFence(device_, &fence, nullptr, &f.done), "vkCreateFence");
    }
  }

  VkCommandBuffer command_buffer() {
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, command_pool_,
                                           VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands;
    require(vkAllocateCommandBuffers(device_, &info, &commands), "vkAllocateCommandBuffers");
    return commands;
  }

  static void begin(VkCommandBuffer commands) {
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
    require(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  }

  void submit(VkCommandBuffer commands, VkFence done) {
    if (done == VK_NULL_HANDLE) require(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &commands, 0, nullptr};
    require(vkQueueSubmit(queue_, 1, &info, done), "vkQueueSubmit");
  }

  void record(const Frame& f) {
    begin(f.commands);
    VkClearValue clear[2] = {};
    clear[0].color = {{0.2f, 0.2f, 0.2f, 0.2f}};
    clear[1].depthStencil = {1, 0};
    const VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass_, target_, {{0, 0}, size_}, 2, clear};
    vkCmdBeginRenderPass(f.commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(f.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
    for (uint32_t cube = 0; cube < cubes(); ++cube) {
      const uint32_t offset = cube * scene_stride_;
      vkCmdBindDescriptorSets(f.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &f.set, 1, &offset);
      vkCmdDraw(f.commands, vertices, 1, 0, 0);
    }
    vkCmdEndRenderPass(f.commands);
    require(vkEndCommandBuffer(f.commands), "vkEndCommandBuffer");
  }

  void draw(unsigned number) {
    Frame& f = frames_[number % frames_at_once];
    require(vkWaitForFences(device_, 1, &f.done, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    require(vkResetFences(device_, 1, &f.done), "vkResetFences");
    for (uint32_t cube = 0; cube < cubes(); ++cube) {
      turn(scene(f, cube), 0.07f * static_cast<float>(number + cube));  // vkcube: 4 degrees per frame
      put_into_grid(scene(f, cube), cube);
    }
    if (cubes() > 1) record(f);  // as programs with many draws do
    submit(f.commands, f.done);
  }

  uint32_t cubes() const { return grid_ * grid_; }
  Scene& scene(const Frame& f, uint32_t cube) const {
    return *reinterpret_cast<Scene*>(static_cast<char*>(f.scene.data) + cube * scene_stride_);
  }

  static void put_corners(Scene& scene) {
    for (uint32_t v = 0; v < vertices; ++v) {
      const uint32_t face = v / 6, corner = std::array{0u, 1u, 2u, 2u, 1u, 3u}[v % 6], axis = face / 2;
      const float u = static_cast<float>(corner & 1), w = static_cast<float>(corner >> 1);
      scene.position[v][axis] = face & 1 ? 1.0f : -1.0f;
      scene.position[v][(axis + 1) % 3] = 2 * u - 1;
      scene.position[v][(axis + 2) % 3] = 2 * w - 1;
      scene.position[v][3] = 1;
      scene.place[v][0] = u;
      scene.place[v][1] = w;
    }
  }

  /// Seen with 45 degrees from where vkcube's camera stands, (0, 3, 5); the cube is turned around y by `angle`.
  void turn(Scene& scene, float angle) const {
    const float c = std::cos(angle), s = std::sin(angle), back = std::sqrt(34.0f), down_sin = 3 / back, down_cos = 5 / back;
    const float f = 1 / std::tan(0.3926991f), aspect = static_cast<float>(size_.width) / static_cast<float>(size_.height);
    const float near = 0.1f, far = 100, a = far / (near - far), b = near * far / (near - far);
    // Columns of projection * view * turn.
    const float view[4][3] = {{c, s * down_sin, -s * down_cos}, {0, down_cos, down_sin}, {s, -c * down_sin, c * down_cos}, {0, 0, -back}};
    for (size_t i = 0; i < 4; ++i) {
      const float z = view[i][2], column[4] = {f / aspect * view[i][0], -f * view[i][1], a * z + (i == 3 ? b : 0), -z};
      std::memcpy(scene.transform + 4 * i, column, sizeof column);
    }
  }

  /// Scales the picture to a cell of the grid, in clip space.
  void put_into_grid(Scene& scene, uint32_t cube) const {
    const float scale = 1 / static_cast<float>(grid_);
    const float center[2] = {static_cast<float>(2 * (cube % grid_) + 1) * scale - 1,
                             static_cast<float>(2 * (cube / grid_) + 1) * scale - 1};
    for (size_t column = 0; column < 4; ++column) {
      float* value = scene.transform + 4 * column;
      for (size_t i = 0; i < 2; ++i) value[i] = value[i] * scale + value[3] * center[i];
    }
  }

  VkExtent2D size_;
  uint32_t grid_, scene_stride_ = 0;
  VkPhysicalDevice physical_;
  VkPhysicalDeviceDriverProperties driver_ = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 properties_ = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver_};
  VkPhysicalDeviceMemoryProperties memory_;
  VkDevice device_;
  VkQueue queue_;
  VkCommandPool command_pool_;
  VkRenderPass pass_;
  VkFramebuffer target_;
  VkDescriptorSetLayout set_layout_;
  VkPipelineLayout layout_;
  VkPipeline pipeline_;
  Image texture_;
  std::array<Frame, frames_at_once> frames_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures how fast the first Vulkan device draws vkcube's scene, or a grid of its cubes.");
  double warm_up = 0.5, seconds = 1;
  VkExtent2D size{1920, 1080};
  uint32_t grid = 1;
  app.add_option("--warm-up", warm_up, "seconds before counting (default 0.5)");
  app.add_option("--seconds", seconds, "seconds to count (default 1)");
  app.add_option("--width", size.width, "pixels (default 1920)");
  app.add_option("--height", size.height, "pixels (default 1080)");
  app.add_option("--grid", grid, "cubes per row and column, each a draw with uniforms of its own (default 1)")->check(CLI::Range(1, 100));
  CLI11_PARSE(app, argc, argv);
  try {
    Cube cube(size, grid);
    cube.rate(warm_up);
    const double rate = cube.rate(seconds);
    fmt::print(R"({{"renderer": "{}", "version": "{}", "rates": {{"{}": {{"value": {:.6g}, "unit": "frames/s"}}}}}})"
               "\n",
               cube.renderer(), cube.version(), grid > 1 ? "draws" : "cube", rate);
  } catch (const std::exception& error) {
    fmt::print(stderr, "vk_cube: {}\n", error.what());
    return 1;
  }
}
