// SPDX-License-Identifier: GPL-2.0-or-later
// shading_rate SHADERS PICTURE WIDTH HEIGHT SAMPLES: draws with fragments of WIDTH x HEIGHT pixels (VK_KHR_fragment_shading_rate, pipeline's rate)
// around a nearer rectangle of single pixels. SHADERS.vert.spv and SHADERS.frag.spv are the shaders. Writes the target, 64x48 pixels of four 16-bit
// numbers, to PICTURE, and prints the number of invocations of the coarse draw.
#include "vulkan_device.h"

enum { width = 64, height = 48, pixel_bytes = 8, levels = 7 };
static const VkRect2D coarse_area = {{3, 2}, {58, 45}}, near_area = {{13, 9}, {24, 21}};
static const VkFormat color_format = VK_FORMAT_R16G16B16A16_UINT, depth_format = VK_FORMAT_D32_SFLOAT;

static VkDescriptorSetLayout set_layout;
static VkDescriptorSet set;
static VkPipelineLayout layout;
static VkCommandBuffer commands;

struct image {
  VkImage image;
  VkImageView view;
};

static void open_coarse_device(void) {
  find_device();
  VkPhysicalDeviceFragmentShadingRateFeaturesKHR rate = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR,
                                                         .pipelineFragmentShadingRate = 1};
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &rate, .dynamicRendering = 1, .synchronization2 = 1};
  open_device(&features, &(VkPhysicalDeviceFeatures){.pipelineStatisticsQuery = 1}, VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME);
  commands = begin_commands(make_pool());
}

static struct image make_image(VkFormat format, VkExtent3D size, uint32_t mips, int samples, VkImageUsageFlags usage,
                               VkImageAspectFlags aspect) {
  struct image made;
  DO(vkCreateImage(device,
                   &(VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                        .imageType = VK_IMAGE_TYPE_2D,
                                        .format = format,
                                        .extent = size,
                                        .mipLevels = mips,
                                        .arrayLayers = 1,
                                        .samples = (VkSampleCountFlagBits)samples,
                                        .usage = usage},
                   NULL, &made.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, made.image, &needs);
  DO(vkBindImageMemory(device, made.image, allocate(needs.size, needs.memoryTypeBits, 0), 0));
  DO(vkCreateImageView(device,
                       &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                .image = made.image,
                                                .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                .format = format,
                                                .subresourceRange = {aspect, 0, mips, 0, 1}},
                       NULL, &made.view));
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                       &(VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                               .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                               .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                               .image = made.image,
                                               .subresourceRange = {aspect, 0, mips, 0, 1}});
  return made;
}

static void make_layouts(void) {
  const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
  DO(vkCreateDescriptorSetLayout(
      device,
      &(VkDescriptorSetLayoutCreateInfo){
          .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding},
      NULL, &set_layout));
  DO(vkCreatePipelineLayout(device,
                            &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                          .setLayoutCount = 1,
                                                          .pSetLayouts = &set_layout,
                                                          .pushConstantRangeCount = 1,
                                                          .pPushConstantRanges = &(VkPushConstantRange){VK_SHADER_STAGE_VERTEX_BIT, 0, 4}},
                            NULL, &layout));
}

static void bind_texture(void) {
  const struct image texture =
      make_image(VK_FORMAT_R8_UNORM, (VkExtent3D){64, 64, 1}, levels, 1, VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  VkSampler sampler;
  DO(vkCreateSampler(device, &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = levels}, NULL, &sampler));
  VkDescriptorPool pool;
  DO(vkCreateDescriptorPool(
      device,
      &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                    .maxSets = 1,
                                    .poolSizeCount = 1,
                                    .pPoolSizes = &(VkDescriptorPoolSize){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}},
      NULL, &pool));
  DO(vkAllocateDescriptorSets(device,
                              &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                             .descriptorPool = pool,
                                                             .descriptorSetCount = 1,
                                                             .pSetLayouts = &set_layout},
                              &set));
  const VkDescriptorImageInfo bound = {sampler, texture.view, VK_IMAGE_LAYOUT_GENERAL};
  vkUpdateDescriptorSets(device, 1,
                         &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                 .dstSet = set,
                                                 .descriptorCount = 1,
                                                 .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                 .pImageInfo = &bound},
                         0, NULL);
}

static VkPipelineShaderStageCreateInfo shader(const char* base, const char* suffix, VkShaderStageFlagBits stage) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%s.spv", base, suffix);
  return (VkPipelineShaderStageCreateInfo){
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = stage, .module = load_module(path), .pName = "main"};
}

static VkPipeline make_pipeline(const VkPipelineShaderStageCreateInfo* stages, VkRect2D area, VkExtent2D fragment, int samples) {
  const VkViewport viewport = {0, 0, width, height, 0, 1};
  VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                             .colorAttachmentCount = 1,
                                             .pColorAttachmentFormats = &color_format,
                                             .depthAttachmentFormat = depth_format};
  VkPipelineFragmentShadingRateStateCreateInfoKHR rate = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR, .pNext = &rendering, .fragmentSize = fragment};
  VkPipeline pipeline;
  const VkGraphicsPipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
      .pNext = &rate,
      .stageCount = 2,
      .pStages = stages,
      .pVertexInputState = &(VkPipelineVertexInputStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO},
      .pInputAssemblyState = &(VkPipelineInputAssemblyStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
      .pViewportState = &(VkPipelineViewportStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                             .viewportCount = 1,
                                                             .pViewports = &viewport,
                                                             .scissorCount = 1,
                                                             .pScissors = &area},
      .pRasterizationState =
          &(VkPipelineRasterizationStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1},
      .pMultisampleState = &(VkPipelineMultisampleStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                                   .rasterizationSamples = (VkSampleCountFlagBits)samples},
      .pDepthStencilState = &(VkPipelineDepthStencilStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                                     .depthTestEnable = 1,
                                                                     .depthWriteEnable = 1,
                                                                     .depthCompareOp = VK_COMPARE_OP_LESS},
      .pColorBlendState =
          &(VkPipelineColorBlendStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = 1,
                                                 .pAttachments = &(VkPipelineColorBlendAttachmentState){.colorWriteMask = 15}},
      .layout = layout};
  DO(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
  return pipeline;
}

static void draw(VkPipeline pipeline, float depth) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 4, &depth);
  vkCmdDraw(commands, 3, 1, 0, 0);
}

/// The target whose pixels are copied out.
static struct image begin_rendering(int samples) {
  const VkExtent3D size = {width, height, 1};
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const struct image single = make_image(color_format, size, 1, 1, usage, VK_IMAGE_ASPECT_COLOR_BIT);
  const struct image color = samples == 1 ? single : make_image(color_format, size, 1, samples, usage, VK_IMAGE_ASPECT_COLOR_BIT);
  const struct image depth =
      make_image(depth_format, size, 1, samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
  VkRenderingAttachmentInfo color_info = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                          .imageView = color.view,
                                          .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
  if (samples > 1) {
    color_info.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
    color_info.resolveImageView = single.view;
    color_info.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  const VkRenderingAttachmentInfo depth_info = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                .imageView = depth.view,
                                                .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .clearValue = {.depthStencil = {1, 0}}};
  vkCmdBeginRendering(commands, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                   .renderArea = {{0, 0}, {width, height}},
                                                   .layerCount = 1,
                                                   .colorAttachmentCount = 1,
                                                   .pColorAttachments = &color_info,
                                                   .pDepthAttachment = &depth_info});
  return single;
}

static const void* copied(VkImage image) {
  VkBuffer buffer;
  DO(vkCreateBuffer(
      device,
      &(VkBufferCreateInfo){
          .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = width * height * pixel_bytes, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT},
      NULL, &buffer));
  const void* data = map_buffer(buffer);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                       &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT},
                       0, NULL, 0, NULL);
  vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1,
                         &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {width, height, 1}});
  return data;
}

int main(int argc, char** argv) {
  require(argc == 6, "usage: shading_rate SHADERS PICTURE WIDTH HEIGHT SAMPLES");
  const VkExtent2D fragment = {(uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4])};
  const int samples = atoi(argv[5]);
  open_coarse_device();
  make_layouts();
  bind_texture();
  const VkPipelineShaderStageCreateInfo stages[] = {shader(argv[1], "vert", VK_SHADER_STAGE_VERTEX_BIT),
                                                    shader(argv[1], "frag", VK_SHADER_STAGE_FRAGMENT_BIT)};
  VkQueryPool query;
  DO(vkCreateQueryPool(device,
                       &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                .queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                                .queryCount = 1,
                                                .pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT},
                       NULL, &query));
  vkCmdResetQueryPool(commands, query, 0, 1);
  const struct image target = begin_rendering(samples);
  draw(make_pipeline(stages, near_area, (VkExtent2D){1, 1}, samples), 0.25f);
  vkCmdBeginQuery(commands, query, 0, 0);
  draw(make_pipeline(stages, coarse_area, fragment, samples), 0.5f);
  vkCmdEndQuery(commands, query, 0);
  vkCmdEndRendering(commands);
  const void* pixels = copied(target.image);
  submit(commands);
  uint64_t invocations;
  DO(vkGetQueryPoolResults(device, query, 0, 1, sizeof invocations, &invocations, sizeof invocations,
                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  FILE* file = fopen(argv[2], "wb");
  require(file && fwrite(pixels, pixel_bytes, width * height, file) == width * height && fclose(file) == 0, argv[2]);
  printf("%llu\n", (unsigned long long)invocations);
  return 0;
}
