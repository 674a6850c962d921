import { pluginRunner } from '../adapters/embedded/plugin-runner.ts'
import type { PluginRunner } from '../kustomize/plugins/exec/plugin-runner.ts'

/** Runs kustomize plugins as processes of this machine, from where kustomize keeps them. */
export const localPlugins = (): PluginRunner => pluginRunner()
