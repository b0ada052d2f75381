import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // A busy machine may take long to come to what is waited for.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          setupFiles: ["test/support/property-seed.ts"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "contract",
          include: ["test/contract/**/*.test.ts"],
          setupFiles: ["test/support/property-seed.ts"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "fuzz",
          include: ["test/fuzz/**/*.test.ts"],
          setupFiles: ["test/support/property-seed.ts"],
          // A fault is made smaller for two minutes, and has to be told then.
          testTimeout: 240_000,
        },
      },
      { test: { name: "parity", include: ["test/parity/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 } },
      {
        test: { name: "manifests", include: ["test/manifests/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "live",
          include: ["test/live/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "kubernetes",
          include: ["test/kubernetes/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "containers",
          include: ["test/containers/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
    coverage: { provider: "v8", include: ["src/**"] },
  },
});
