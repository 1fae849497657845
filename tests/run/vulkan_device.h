// SPDX-License-Identifier: GPL-2.0-or-later
// What the Vulkan programs of the tests have in common: the first device with one queue, and memory of it. A failed call ends the program.
#pragma once

#define _GNU_SOURCE  // program_invocation_short_name
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkPhysicalDeviceMemoryProperties memory;

static void require(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s: %s failed\n", program_invocation_short_name, what);
  exit(1);
}
#define DO(call) require((call) == VK_SUCCESS, #call)

static void find_device(void) {
  DO(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                              .pApplicationInfo = &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                                                                       .apiVersion = VK_API_VERSION_1_3}},
                      NULL, &instance));
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  require(count == 1, "vkEnumeratePhysicalDevices");
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
}

/// `extension`: null for none.
static void open_device(const void* features, const VkPhysicalDeviceFeatures* core_features, const char* extension) {
  const float priority = 1;
  DO(vkCreateDevice(
      physical,
      &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                            .pNext = features,
                            .queueCreateInfoCount = 1,
                            .pQueueCreateInfos =
                                &(VkDeviceQueueCreateInfo){
                                    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority},
                            .enabledExtensionCount = extension ? 1 : 0,
                            .ppEnabledExtensionNames = &extension,
                            .pEnabledFeatures = core_features},
      NULL, &device));
  vkGetDeviceQueue(device, 0, 0, &queue);
}

static VkDeviceMemory allocate(VkDeviceSize bytes, uint32_t types, VkMemoryPropertyFlags flags) {
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if (!(types >> i & 1) || (memory.memoryTypes[i].propertyFlags & flags) != flags) continue;
    VkDeviceMemory made;
    DO(vkAllocateMemory(
        device, &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = bytes, .memoryTypeIndex = i},
        NULL, &made));
    return made;
  }
  require(0, "a memory type");
  return VK_NULL_HANDLE;
}

/// Binds memory to the buffer and maps it.
static void* map_buffer(VkBuffer of) {
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, of, &needs);
  const VkDeviceMemory there =
      allocate(needs.size, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  DO(vkBindBufferMemory(device, of, there, 0));
  void* data;
  DO(vkMapMemory(device, there, 0, VK_WHOLE_SIZE, 0, &data));
  return data;
}

static VkCommandBuffer begin_commands(VkCommandPool pool) {
  VkCommandBuffer made;
  DO(vkAllocateCommandBuffers(
      device,
      &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1},
      &made));
  DO(vkBeginCommandBuffer(made, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
  return made;
}

static VkCommandPool make_pool(void) {
  VkCommandPool made;
  DO(vkCreateCommandPool(device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL, &made));
  return made;
}

static void submit(VkCommandBuffer commands) {
  DO(vkEndCommandBuffer(commands));
  DO(vkQueueSubmit(queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands},
                   VK_NULL_HANDLE));
  DO(vkQueueWaitIdle(queue));
}

/// SPIR-V of a file.
static VkShaderModule load_module(const char* path) {
  static uint32_t words[16384];
  FILE* file = fopen(path, "rb");
  require(file != NULL, path);
  const size_t bytes = fread(words, 1, sizeof words, file);
  fclose(file);
  VkShaderModule made;
  DO(vkCreateShaderModule(
      device, &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words}, NULL,
      &made));
  return made;
}
