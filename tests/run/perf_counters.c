// SPDX-License-Identifier: GPL-2.0-or-later
// perf_counters SHADER GROUPS NAME...: dispatches GROUPS groups of the compute shader in a VK_KHR_performance_query of the named counters. Prints the number
// of passes, and one line per counter: name, tab, value.
#include "vulkan_device.h"

#include <string.h>

enum { max_counters = 2048, max_chosen = 16, group_size = 64 };
static VkPerformanceCounterKHR counters[max_counters];
static VkPerformanceCounterDescriptionKHR descriptions[max_counters];
static uint32_t chosen[max_chosen], chosen_count, passes;
static VkQueryPool queries;

#define FUNCTION(name) ((PFN_##name)vkGetDeviceProcAddr(device, #name))
#define INSTANCE_FUNCTION(name) ((PFN_##name)vkGetInstanceProcAddr(instance, #name))

static void open_counting_device(void) {
  find_device();
  VkPhysicalDevicePerformanceQueryFeaturesKHR queries_on = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
                                                            .performanceCounterQueryPools = 1};
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &queries_on, .hostQueryReset = 1};
  open_device(&features, NULL, VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME);
}

static void choose(int count, char** names) {
  uint32_t found = max_counters;
  for (uint32_t i = 0; i < max_counters; ++i) {
    counters[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
    descriptions[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
  }
  DO(INSTANCE_FUNCTION(vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR)(physical, 0, &found, counters, descriptions));
  require(count <= max_chosen, "few counters");
  for (int i = 0; i < count; ++i) {
    uint32_t at = 0;
    while (at < found && strcmp(descriptions[at].name, names[i])) ++at;
    require(at < found, names[i]);
    chosen[chosen_count++] = at;
  }
  VkQueryPoolPerformanceCreateInfoKHR what = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR, .counterIndexCount = chosen_count, .pCounterIndices = chosen};
  INSTANCE_FUNCTION(vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR)(physical, &what, &passes);
  DO(vkCreateQueryPool(device,
                       &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                .pNext = &what,
                                                .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                                .queryCount = 1},
                       NULL, &queries));
}

static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;

static VkPipeline make_pipeline(const char* shader) {
  VkPipeline made;
  DO(vkCreateDescriptorSetLayout(
      device,
      &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                         .bindingCount = 1,
                                         .pBindings = &(VkDescriptorSetLayoutBinding){.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                                                      .descriptorCount = 1,
                                                                                      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT}},
      NULL, &set_layout));
  DO(vkCreatePipelineLayout(device,
                            &(VkPipelineLayoutCreateInfo){
                                .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout},
                            NULL, &layout));
  DO(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1,
                              &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                             .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                                       .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                                       .module = load_module(shader),
                                                                       .pName = "main"},
                                                             .layout = layout},
                              NULL, &made));
  return made;
}

static VkDescriptorSet make_set(VkDeviceSize bytes) {
  VkBuffer buffer;
  DO(vkCreateBuffer(
      device,
      &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT},
      NULL, &buffer));
  map_buffer(buffer);
  VkDescriptorPool pool;
  DO(vkCreateDescriptorPool(device,
                            &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                          .maxSets = 1,
                                                          .poolSizeCount = 1,
                                                          .pPoolSizes = &(VkDescriptorPoolSize){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}},
                            NULL, &pool));
  VkDescriptorSet made;
  DO(vkAllocateDescriptorSets(device,
                              &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                             .descriptorPool = pool,
                                                             .descriptorSetCount = 1,
                                                             .pSetLayouts = &set_layout},
                              &made));
  vkUpdateDescriptorSets(device, 1,
                         &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                 .dstSet = made,
                                                 .descriptorCount = 1,
                                                 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                 .pBufferInfo = &(VkDescriptorBufferInfo){.buffer = buffer, .range = bytes}},
                         0, NULL);
  return made;
}

static void record(VkCommandBuffer commands, const char* shader, uint32_t groups) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, make_pipeline(shader));
  const VkDescriptorSet set = make_set(4 * group_size * (groups ? groups : 1));
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdBeginQuery(commands, queries, 0, 0);
  if (groups) vkCmdDispatch(commands, groups, 1, 1);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
  vkCmdEndQuery(commands, queries, 0);
  DO(vkEndCommandBuffer(commands));
}

static void submit_pass(VkCommandBuffer commands, uint32_t pass) {
  const VkPerformanceQuerySubmitInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR, .counterPassIndex = pass};
  DO(vkQueueSubmit(
      queue, 1,
      &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &which, .commandBufferCount = 1, .pCommandBuffers = &commands},
      VK_NULL_HANDLE));
}

static void print(uint32_t index, VkPerformanceCounterResultKHR value) {
  const int is_float = counters[index].storage == VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR;
  if (is_float) printf("%s\t%g\n", descriptions[index].name, value.float32);
  else printf("%s\t%llu\n", descriptions[index].name, (unsigned long long)value.uint64);
}

int main(int argc, char** argv) {
  require(argc > 3, "SHADER GROUPS NAME");
  open_counting_device();
  choose(argc - 3, argv + 3);
  const VkAcquireProfilingLockInfoKHR lock = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR, .timeout = UINT64_MAX};
  DO(FUNCTION(vkAcquireProfilingLockKHR)(device, &lock));
  const VkCommandBuffer commands = begin_commands(make_pool());
  vkResetQueryPool(device, queries, 0, 1);
  record(commands, argv[1], (uint32_t)atoi(argv[2]));
  for (uint32_t pass = 0; pass < passes; ++pass) submit_pass(commands, pass);
  DO(vkQueueWaitIdle(queue));
  VkPerformanceCounterResultKHR results[max_chosen];
  const size_t bytes = chosen_count * sizeof results[0];
  DO(vkGetQueryPoolResults(device, queries, 0, 1, bytes, results, bytes, VK_QUERY_RESULT_WAIT_BIT));
  printf("passes\t%u\n", passes);
  for (uint32_t i = 0; i < chosen_count; ++i) print(chosen[i], results[i]);
  FUNCTION(vkReleaseProfilingLockKHR)(device);
  return 0;
}
