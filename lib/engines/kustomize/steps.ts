import type { Accumulator } from './accumulator.ts'
import type { BuildContext } from './build-tree.ts'
import { generateConfigMap, generateSecret, withGlobalOptions } from './generators/config-data.ts'
import { helmGenerators } from './generators/helm-charts.ts'
import type { GeneratorEntry, PatchEntry } from './kustomization.ts'
import type { Target } from './kustomization-target.ts'
import { wrappingAll } from './kustomize-error.ts'
import { loadGenerators, loadTransformers } from './plugins/load-plugins.ts'
import type { Generator, Transformer, TransformerEnvironment } from './plugins/plugin.ts'
import { type AddResources, pluginConfigs } from './plugins/plugin-configs.ts'
import type { Resource } from './resource.ts'
import { builtinTransformers } from './run-transformers.ts'
import { cleaned } from './tree-path.ts'

/** What a kustomization lists to generate and to transform, as steps to take. */

export const generatorsOf = async (
  target: Target,
  context: BuildContext,
  addResources: AddResources,
): Promise<readonly Generator[]> => [
  ...builtinGenerators(target, context),
  ...(await pluginGenerators(target, context, addResources)),
]

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

const pluginGenerators = async (
  target: Target,
  context: BuildContext,
  addResources: AddResources,
): Promise<Generator[]> => {
  return wrappingAll('loading generator plugins', target, 'generators', async () => {
    const { configs } = await pluginConfigs(target, context, 'generators', addResources)
    return loadGenerators(configs, environmentOf(target, context), context.plugins)
  })
}

/**
 * Plugins of whole API groups transform before what is built in, unless they are to come last: those that generate as well as those that only transform.
 * `patched` are the patches that were meant for their virtual resources.
 */
const groupTransformers = async (
  target: Target,
  context: BuildContext,
  addResources: AddResources,
): Promise<{ transformers: Transformer[]; patched: ReadonlySet<PatchEntry> }> => {
  const { groups } = context.plugins
  if (!groups) return { transformers: [], patched: new Set() }
  const generating = await pluginConfigs(target, context, 'generators', addResources)
  const transforming = await pluginConfigs(target, context, 'transformers', addResources)
  const byGroup = Map.groupBy([...generating.configs, ...transforming.configs], config => groups.groupOf(config) ?? '')
  byGroup.delete('')
  const required = new Set(transforming.configs.map(config => groups.groupOf(config)))
  const transformers = [...byGroup].map(([group, configs]) =>
    groups.transformer(group, configs, required.has(group), environmentOf(target, context)),
  )
  return { transformers, patched: new Set([...generating.patched, ...transforming.patched]) }
}

export const transformersOf = async (
  { specs }: Accumulator,
  target: Target,
  context: BuildContext,
  addResources: AddResources,
): Promise<readonly Transformer[]> => {
  const { kustomization } = target
  const environment = environmentOf(target, context)
  const { transformers: ofGroups, patched } = await groupTransformers(target, context, addResources)
  const patches = kustomization.patches.filter(patch => patch.target || !patched.has(patch))
  const builtin = builtinTransformers({ ...kustomization, patches }, specs, environment, builtinOrigin(target))
  return [
    ...(context.plugins.groups?.comeLast ? [...builtin, ...ofGroups] : [...ofGroups, ...builtin]),
    ...(await pluginTransformers(target, context, 'transformers', addResources)),
  ]
}

export const pluginTransformers = async (
  target: Target,
  context: BuildContext,
  list: 'transformers' | 'validators',
  addResources: AddResources,
): Promise<Transformer[]> => {
  const { configs } = await pluginConfigs(target, context, list, addResources)
  return loadTransformers(configs, list, environmentOf(target, context), context.plugins)
}
