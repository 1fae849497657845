// SPDX-License-Identifier: GPL-2.0-or-later
// sparse STORE.spv READ.spv RESULT SAMPLES: an image of 256x256 floats and a buffer of four pages, of each of which two tiles or pages have memory. STORE
// writes all texels and dwords, READ reads them with their residency; then one tile loses its memory, another one gets it, and READ runs again. RESULT has what
// each READ wrote, four dwords a texel, and the buffer. Several samples are cleared to 7 besides, and STORE writes the buffer alone.
#include "vulkan_device.h"

enum { size = 256, page = 65536, pages = 4, texels = size * size, result_bytes = texels * 16, group = 8 };

static VkDescriptorSetLayout set_layout;
static VkDescriptorSet set;
static VkPipelineLayout layout;
static VkCommandPool pool;
static VkImage image;
static VkExtent3D tile;
static int samples;
static VkBuffer buffer, result, copy;

/// Exit status 77: the device has no sparse images.
static void open_sparse_device(void) {
  find_device();
  VkPhysicalDeviceFeatures there;
  vkGetPhysicalDeviceFeatures(physical, &there);
  if (!there.sparseResidencyImage2D || !there.shaderResourceResidency) exit(77);
  open_device(&(VkPhysicalDeviceVulkan13Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .subgroupSizeControl = 1},
              &(VkPhysicalDeviceFeatures){.sparseBinding = 1,
                                          .sparseResidencyBuffer = 1,
                                          .sparseResidencyImage2D = 1,
                                          .sparseResidency2Samples = samples == 2,
                                          .sparseResidency4Samples = samples == 4,
                                          .sparseResidency8Samples = samples == 8,
                                          .shaderResourceResidency = 1},
              NULL);
  pool = make_pool();
}

static VkBuffer make_buffer(VkDeviceSize bytes, VkBufferCreateFlags flags) {
  VkBuffer made;
  DO(vkCreateBuffer(device,
                    &(VkBufferCreateInfo){
                        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                        .flags = flags,
                        .size = bytes,
                        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT},
                    NULL, &made));
  return made;
}

static VkImageView make_image(void) {
  DO(vkCreateImage(device,
                   &(VkImageCreateInfo){
                       .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                       .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
                       .imageType = VK_IMAGE_TYPE_2D,
                       .format = VK_FORMAT_R32_SFLOAT,
                       .extent = {size, size, 1},
                       .mipLevels = 1,
                       .arrayLayers = 1,
                       .samples = (VkSampleCountFlagBits)samples,
                       .usage = VK_IMAGE_USAGE_SAMPLED_BIT | (samples > 1 ? VK_IMAGE_USAGE_TRANSFER_DST_BIT : VK_IMAGE_USAGE_STORAGE_BIT)},
                   NULL, &image));
  VkSparseImageMemoryRequirements needs;
  vkGetImageSparseMemoryRequirements(device, image, &(uint32_t){1}, &needs);
  tile = needs.formatProperties.imageGranularity;
  printf("%u %u\n", tile.width, tile.height);
  VkImageView view;
  DO(vkCreateImageView(device,
                       &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                .image = image,
                                                .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                .format = VK_FORMAT_R32_SFLOAT,
                                                .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}},
                       NULL, &view));
  return view;
}

static VkSparseImageMemoryBind tile_at(int x, int y, VkDeviceMemory from, VkDeviceSize offset) {
  return (VkSparseImageMemoryBind){.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0},
                                   .offset = {x * (int)tile.width, y * (int)tile.height, 0},
                                   .extent = tile,
                                   .memory = from,
                                   .memoryOffset = offset};
}

static void bind(uint32_t tiles, const VkSparseImageMemoryBind* of_image, uint32_t ranges, const VkSparseMemoryBind* of_buffer) {
  DO(vkQueueBindSparse(queue, 1,
                       &(VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                           .bufferBindCount = ranges ? 1 : 0,
                                           .pBufferBinds = &(VkSparseBufferMemoryBindInfo){buffer, ranges, of_buffer},
                                           .imageBindCount = 1,
                                           .pImageBinds = &(VkSparseImageMemoryBindInfo){image, tiles, of_image}},
                       VK_NULL_HANDLE));
  DO(vkQueueWaitIdle(queue));
}

static void make_set(VkImageView view) {
  const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  VkDescriptorSetLayoutBinding bindings[4];
  VkDescriptorPoolSize sizes[4];
  for (uint32_t i = 0; i < 4; ++i) {
    bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    sizes[i] = (VkDescriptorPoolSize){types[i], 1};
  }
  DO(vkCreateDescriptorSetLayout(
      device,
      &(VkDescriptorSetLayoutCreateInfo){
          .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 4, .pBindings = bindings},
      NULL, &set_layout));
  DO(vkCreatePipelineLayout(device,
                            &(VkPipelineLayoutCreateInfo){
                                .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout},
                            NULL, &layout));
  VkDescriptorPool sets;
  DO(vkCreateDescriptorPool(
      device,
      &(VkDescriptorPoolCreateInfo){
          .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 4, .pPoolSizes = sizes},
      NULL, &sets));
  DO(vkAllocateDescriptorSets(device,
                              &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                             .descriptorPool = sets,
                                                             .descriptorSetCount = 1,
                                                             .pSetLayouts = &set_layout},
                              &set));
  VkSampler sampler;
  DO(vkCreateSampler(device,
                     &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                            .magFilter = VK_FILTER_LINEAR,
                                            .minFilter = VK_FILTER_LINEAR,
                                            .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                            .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
                     NULL, &sampler));
  const VkDescriptorImageInfo of_image = {sampler, view, VK_IMAGE_LAYOUT_GENERAL};
  const VkDescriptorBufferInfo of_buffers[2] = {{buffer, 0, VK_WHOLE_SIZE}, {result, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet writes[4];
  for (uint32_t i = 0; i < 4; ++i)
    writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .dstBinding = i,
                                       .descriptorCount = 1,
                                       .descriptorType = types[i],
                                       .pImageInfo = &of_image,
                                       .pBufferInfo = i < 2 ? NULL : &of_buffers[i - 2]};
  vkUpdateDescriptorSets(device, 1, writes, 0, NULL);
  const uint32_t next = samples > 1 ? 2 : 1;
  vkUpdateDescriptorSets(device, 4 - next, &writes[next], 0, NULL);
}

static VkPipeline pipeline_of(const char* path) {
  // Mesa 25 loads samples eight channels at a time. Of messages that it divides into these, it loses the upper channels' residency (brw_lower_simd_width.cpp,
  // emit_zip()).
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo channels = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, .requiredSubgroupSize = samples > 1 ? 8 : 16};
  const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .pNext = &channels,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                      .module = load_module(path),
                                                      .pName = "main"},
                                            .layout = layout};
  VkPipeline made;
  DO(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made));
  return made;
}

static void barrier(VkCommandBuffer commands, VkImageLayout old) {
  const VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                       &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = any, .dstAccessMask = any}, 0, NULL,
                       1,
                       &(VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                               .srcAccessMask = any,
                                               .dstAccessMask = any,
                                               .oldLayout = old,
                                               .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                               .image = image,
                                               .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}});
}

/// Runs `kernel` on all texels, and copies the sparse buffer.
static void run(VkPipeline kernel, VkImageLayout old) {
  const VkCommandBuffer commands = begin_commands(pool);
  barrier(commands, old);
  if (samples > 1 && old == VK_IMAGE_LAYOUT_UNDEFINED) {
    vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {7}}, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
    barrier(commands, VK_IMAGE_LAYOUT_GENERAL);
  }
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdDispatch(commands, size / group, size / group, 1);
  barrier(commands, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdCopyBuffer(commands, buffer, copy, 1, &(VkBufferCopy){0, 0, pages * page});
  barrier(commands, VK_IMAGE_LAYOUT_GENERAL);
  submit(commands);
}

int main(int argc, char** argv) {
  require(argc == 5, "usage: sparse STORE.spv READ.spv RESULT SAMPLES");
  samples = atoi(argv[4]);
  open_sparse_device();
  const VkImageView view = make_image();
  buffer = make_buffer(pages * page, VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
  result = make_buffer(result_bytes, 0), copy = make_buffer(pages * page, 0);
  const void *found = map_buffer(result), *dwords = map_buffer(copy);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, image, &needs);
  require(needs.alignment == page && needs.size == (VkDeviceSize)texels * 4 * (uint32_t)samples, "an image of whole tiles");
  const VkDeviceMemory tiles = allocate(4 * page, needs.memoryTypeBits, 0);
  const VkSparseImageMemoryBind at_first[] = {tile_at(0, 0, tiles, page), tile_at(1, 1, tiles, 0)};
  const VkSparseMemoryBind of_buffer[] = {{0, page, tiles, 2 * page, 0}, {2 * page, page, tiles, 3 * page, 0}};
  bind(2, at_first, 2, of_buffer);
  make_set(view);
  const VkPipeline store = pipeline_of(argv[1]), read = pipeline_of(argv[2]);
  FILE* file = fopen(argv[3], "wb");
  require(file != NULL, argv[3]);
  run(store, VK_IMAGE_LAYOUT_UNDEFINED);
  run(read, VK_IMAGE_LAYOUT_GENERAL);
  require(fwrite(found, 1, result_bytes, file) == result_bytes, argv[3]);
  const VkSparseImageMemoryBind later[] = {tile_at(0, 0, VK_NULL_HANDLE, 0), tile_at(1, 0, tiles, page)};
  bind(2, later, 0, NULL);
  run(read, VK_IMAGE_LAYOUT_GENERAL);
  require(fwrite(found, 1, result_bytes, file) == result_bytes, argv[3]);
  require(fwrite(dwords, 1, pages * page, file) == pages * page && fclose(file) == 0, argv[3]);
  return 0;
}
