import { KustomizeError } from '../../kustomize-error.ts'
import type { Resource } from '../../resource.ts'
import { type ExternalPlugins, noExternalPlugins } from '../external-plugins.ts'
import type { Generator, PluginEnvironment, Transformer } from '../plugin.ts'
import { functionPlugin, functionSpec } from './function-plugin.ts'
import { groupPlugins } from './group-plugin.ts'
import { legacyPlugin } from './legacy-plugin.ts'
import type { PluginOptions } from './plugin-runner.ts'
import { strictRunner } from './strict-runner.ts'

/** Programs as plugins: for the allowed API groups, and functions of the tree if they are allowed. */
export const execPlugins = (options: PluginOptions): ExternalPlugins => {
  const { groups, localFunctions } = options
  const runner = options.strict ? strictRunner(options.runner) : options.runner
  const functionOptions = { ...options, runner }

  const plugin = (config: Resource, environment: PluginEnvironment): Generator & Transformer => {
    const spec = functionSpec(config, environment.budget)
    if (spec) {
      if (localFunctions) return functionPlugin(functionOptions, config, spec, environment)
      throw new KustomizeError(`functions are disabled; unable to run the function of '${config.originalId().kind}'`)
    }
    const { group } = config.originalId()
    if (!groups?.includes(group)) return { ...noExternalPlugins.generator(config, environment), run: () => {} }
    const legacy = legacyPlugin(runner, config, environment)
    if (legacy) return legacy
    throw new KustomizeError(`no plugin found for API group ${group}: plugins/${group} not found`)
  }
  return {
    groups: groups && groupPlugins(groups, { ...options, runner }),
    generator: plugin,
    transformer: plugin,
  }
}
