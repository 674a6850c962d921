import { field } from '../../../yaml/node.ts'
import { KustomizeError, wrapError } from '../../kustomize-error.ts'
import { readResources } from '../../read-resources.ts'
import type { Resource } from '../../resource.ts'
import { parseGroupVersion } from '../../resource-id.ts'
import type { ResourceMap } from '../../resource-map.ts'
import type { Generator, PluginEnvironment, Transformer } from '../plugin.ts'
import type { PluginOptions } from './plugin-runner.ts'
import { idsOf, refuseChanges, replaceResources } from './replace-resources.ts'
import { runProgram, yamlStream } from './run-program.ts'

/**
 * Plugins of KEP-993: a program for an API group, in `plugins/<group>`, with the subcommands `generate` and `transform`. It runs once per
 * phase with all virtual resources of its group.
 */
export interface GroupPlugins {
  /** Whether they transform after the built-in transformers. */
  readonly comeLast: boolean
  /** The group whose plugin handles a virtual resource; undefined for other resources. */
  groupOf(config: Resource): string | undefined
  generator(group: string, configs: readonly Resource[], environment: PluginEnvironment): Generator
  /** `required`: the group is listed under `transformers`, so its plugin must support it. */
  transformer(
    group: string,
    configs: readonly Resource[],
    required: boolean,
    environment: PluginEnvironment,
  ): Transformer
}

/** The KEP's examples use `groupVersion`; both are accepted. */
const groupOfVirtual = (config: Resource): string => {
  const version = field(config.node, 'groupVersion')?.value ?? config.apiVersion
  return version.includes('.') && !version.includes('/') ? version : parseGroupVersion(version).group
}

/** The plugins of the allowed groups. */
export const groupPlugins = (
  groups: readonly string[],
  { runner, unrestricted, transform }: PluginOptions,
): GroupPlugins => {
  const programOf = (group: string, file: string): { installed: string } => {
    const found = runner.locate(`plugins/${group}`)
    if (!found) throw new KustomizeError(`no plugin found for API group ${group}: plugins/${group} not found`, { file })
    if (found.problem) throw new KustomizeError(found.problem, { file })
    if (!found.executable) throw new KustomizeError(`unexecutable plugin at: ${found.program}`, { file })
    return { installed: found.program }
  }

  const read = (output: string, what: string, environment: PluginEnvironment): Resource[] => {
    const { loader, file } = environment
    let resources: Resource[]
    try {
      resources = readResources(output, environment, { file, overlay: loader.directory })
    } catch (error) {
      throw wrapError(`output of plugin ${what}`, error, { file })
    }
    for (const resource of resources) {
      if (groups.includes(groupOfVirtual(resource)))
        throw new KustomizeError(
          `plugin ${what} returned the virtual resource ${resource.kind} ${resource.name}: only resources for the cluster may be`,
          { file },
        )
    }
    return resources
  }

  return {
    comeLast: transform === 'after-builtin',

    groupOf(config) {
      const group = groupOfVirtual(config)
      return groups.includes(group) && runner.locate(`plugins/${group}`) ? group : undefined
    },

    generator: (group, configs, environment) => ({
      async generate() {
        const program = programOf(group, environment.file)
        const request = { program, args: ['generate'], stdin: yamlStream(configs), environment: {} }
        const output = await runProgram(runner, `${group} generate`, request, environment)
        return read(output ?? '', `${group} generate`, environment)
      },
    }),

    transformer: (group, configs, required, environment) => ({
      async run(map: ResourceMap) {
        const program = programOf(group, environment.file)
        const stdin = yamlStream([...configs, ...map.list])
        const output = await runProgram(
          runner,
          `${group} transform`,
          { program, args: ['transform'], stdin, environment: {} },
          environment,
        )
        if (output === undefined) {
          if (!required) return
          throw new KustomizeError(`plugin ${group} is listed under transformers but does not support transform`, {
            file: environment.file,
            field: 'transformers',
          })
        }
        const before = idsOf(map)
        replaceResources(map, read(output, `${group} transform`, environment), group)
        if (!unrestricted) refuseChanges(before, map, group)
      },
    }),
  }
}
