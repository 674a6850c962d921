import type { PluginRunner } from '../engines/kustomize/plugins/exec/plugin-runner.ts'

/** Kustomize plugins as processes, from kustomize's own folder; without network unless allowed. */
export const localPlugins = async (network: boolean): Promise<PluginRunner> =>
  (await import('../platform/adapters/embedded/plugin-runner.ts')).pluginRunner({ network })
