import type { Accumulator } from './accumulator.ts'
import type { BuildContext } from './build-context.ts'
import { generateConfigMap, generateSecret, withGlobalOptions } from './generators/config-data.ts'
import { helmGenerators } from './generators/helm-charts.ts'
import type { GeneratorEntry, PatchEntry } from './kustomization.ts'
import type { Target } from './kustomization-target.ts'
import { wrappingAll } from './kustomize-error.ts'
import type { ExternalPlugins } from './plugins/external-plugins.ts'
import { loadGenerators, loadTransformers } from './plugins/load-plugins.ts'
import type { Generator, Transformer, TransformerEnvironment } from './plugins/plugin.ts'
import { type AddResources, type PluginConfigs, pluginConfigs } from './plugins/plugin-configs.ts'
import type { Resource } from './resource.ts'
import { builtinTransformers } from './run-transformers.ts'
import { cleaned } from './tree-path.ts'

/** A kustomization's generators, transformers and validators, as steps. Plugins are read when they are needed. */
export interface Steps {
  generators(): Promise<readonly Generator[]>
  /** `specs` are the field specs of everything accumulated. */
  transformers(specs: Accumulator['specs']): Promise<readonly Transformer[]>
  validators(): Promise<readonly Transformer[]>
}

/** The steps of a kustomization. `addResources` reads plugin configurations that are listed by path. */
export const stepsOf = (target: Target, context: BuildContext, addResources: AddResources): Steps => {
  const { kustomization } = target
  const { plugins } = context
  const environment = environmentOf(target, context)
  const configsOf: ConfigsOf = list => pluginConfigs(target, context, list, addResources)

  const pluginTransformers = async (list: 'transformers' | 'validators'): Promise<readonly Transformer[]> =>
    loadTransformers((await configsOf(list)).configs, list, environment, plugins)

  return {
    generators: async () => [
      ...builtinGenerators(target, context),
      ...(await wrappingAll('loading generator plugins', target, 'generators', async () =>
        loadGenerators((await configsOf('generators')).configs, environment, plugins),
      )),
    ],
    transformers: async specs => {
      const { transformers: ofGroups, patched } = await groupTransformers(plugins.groups, configsOf, environment)
      const patches = kustomization.patches.filter(patch => patch.target || !patched.has(patch))
      const builtin = builtinTransformers({ ...kustomization, patches }, specs, environment, builtinOrigin(target))
      return [
        ...(plugins.groups?.comeLast ? [...builtin, ...ofGroups] : [...ofGroups, ...builtin]),
        ...(await pluginTransformers('transformers')),
      ]
    },
    validators: () => pluginTransformers('validators'),
  }
}

type ConfigsOf = (list: 'generators' | 'transformers' | 'validators') => Promise<PluginConfigs>

const environmentOf = (
  { loader, file }: Target,
  { schema, budget, helm, memory }: BuildContext,
): TransformerEnvironment => ({
  loader,
  schema,
  budget,
  file,
  helm,
  step: (key, change) => memory.step(key, change),
  read: (key, read) => memory.resources(key, read),
})

const builtinOrigin =
  ({ source, fileName }: Target): ((kind: string) => Transformer['origin']) =>
  kind =>
    source === undefined
      ? undefined
      : {
          ...source,
          path: undefined,
          configuredIn: cleaned(`${source.path}/${fileName}`),
          configuredBy: { apiVersion: 'builtin', kind },
        }

const builtinGenerators = (target: Target, { schema, budget, helm, memory }: BuildContext): Generator[] => {
  const { kustomization, loader, file } = target
  const context = { loader, schema, budget, origin: { file, overlay: loader.directory } }
  const originOf = builtinOrigin(target)
  const kept = (kind: string, entry: GeneratorEntry, generate: typeof generateConfigMap): Resource[] =>
    memory.resources([kind, entry, context.origin], () => [generate(entry, context)])
  const { configMapGenerator, secretGenerator, generatorOptions } = kustomization
  return [
    ...configMapGenerator.map((entry, i) => ({
      origin: originOf('ConfigMapGenerator'),
      place: { file, field: `configMapGenerator[${i}]` },
      generate: () => kept('ConfigMap', withGlobalOptions(entry, generatorOptions), generateConfigMap),
    })),
    ...secretGenerator.map((entry, i) => ({
      origin: originOf('SecretGenerator'),
      place: { file, field: `secretGenerator[${i}]` },
      generate: () => kept('Secret', withGlobalOptions(entry, generatorOptions), generateSecret),
    })),
    ...helmGenerators(target, { schema, budget }, helm, originOf('HelmChartInflationGenerator')),
  ]
}

/**
 * Plugins of whole API groups transform before the built-in transformers, unless they are set to run last: both those that also generate and
 * those that only transform. `patched` are the patches for their virtual resources.
 */
const groupTransformers = async (
  groups: ExternalPlugins['groups'],
  configsOf: ConfigsOf,
  environment: TransformerEnvironment,
): Promise<{ transformers: Transformer[]; patched: ReadonlySet<PatchEntry> }> => {
  if (!groups) return { transformers: [], patched: new Set() }
  const generating = await configsOf('generators')
  const transforming = await configsOf('transformers')
  const byGroup = Map.groupBy([...generating.configs, ...transforming.configs], config => groups.groupOf(config) ?? '')
  byGroup.delete('')
  const required = new Set(transforming.configs.map(config => groups.groupOf(config)))
  const transformers = [...byGroup].map(([group, configs]) =>
    groups.transformer(group, configs, required.has(group), environment),
  )
  return { transformers, patched: new Set([...generating.patched, ...transforming.patched]) }
}
