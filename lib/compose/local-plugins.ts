import type { PluginRunner } from '../engines/kustomize/plugins/exec/plugin-runner.ts'

/** Kustomize plugins as processes, from where kustomize keeps them; without a network unless they may use it. */
export const localPlugins = async (network: boolean): Promise<PluginRunner> =>
  (await import('../platform/adapters/embedded/plugin-runner.ts')).pluginRunner({ network })
