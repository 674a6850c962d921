import { emitJson } from '../../yaml/emit-json.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import { parseYaml } from '../../yaml/parse.ts'
import { fieldSpec } from '../field-spec.ts'
import { decodeStruct } from '../go-struct.ts'
import type { FieldSpecEntry } from '../kustomization.ts'
import { type ErrorPlace, KustomizeError, wrapError } from '../kustomize-error.ts'
import { ORIGIN_ANNOTATION, type Origin } from '../origin.ts'
import type { Resource } from '../resource.ts'
import { gvkString, idString } from '../resource-id.ts'
import { BUILTIN_GENERATORS } from './builtin-generators.ts'
import { BUILTIN_TRANSFORMERS } from './builtin-transformers.ts'
import type { ExternalPlugins } from './external-plugins.ts'
import type { Generator, PluginEnvironment, Transformer, TransformerEnvironment } from './plugin.ts'

/** Turns the resources of `generators:` files into generators. */
export const loadGenerators = (
  configs: readonly Resource[],
  environment: PluginEnvironment,
  external: ExternalPlugins,
): Generator[] => {
  const batches = groupBatches(configs, external)
  return configs.flatMap(config => {
    const group = external.groups?.groupOf(config)
    if (group !== undefined && external.groups) {
      const batch = batches.get(group)!
      return batch[0] === config ? [external.groups.generator(group, batch, environment)] : []
    }
    return [loadGenerator(config, environment, external)]
  })
}

/** All virtual resources of a group go to its plugin at once. */
const groupBatches = (configs: readonly Resource[], { groups }: ExternalPlugins): Map<string, Resource[]> =>
  Map.groupBy(configs, config => groups?.groupOf(config) ?? '')

const loadGenerator = (config: Resource, environment: PluginEnvironment, external: ExternalPlugins): Generator => {
  try {
    if (!isBuiltin(config)) return { ...external.generator(config, environment), origin: pluginOrigin(config) }
    const builtin = BUILTIN_GENERATORS.get(config.kind)
    if (!builtin) throw notThat(config, BUILTIN_TRANSFORMERS, 'generator')
    const own = { ...environment, file: config.origin.file }
    const generate = configured(config, () => builtin.configure(decodeConfig(builtin.form, config) as never, own))
    return { origin: pluginOrigin(config), generate }
  } catch (error) {
    throw wrapError('failed to load generator', error, { file: config.origin.file, field: 'generators' })
  }
}

/** Turns the resources of `transformers:` files into transformers. */
export const loadTransformers = (
  configs: readonly Resource[],
  environment: TransformerEnvironment,
  external: ExternalPlugins,
): Transformer[] =>
  configs.flatMap(config => {
    // Those of group plugins ran before.
    if (external.groups?.groupOf(config) !== undefined) return []
    const place = { file: config.origin.file, field: 'transformers' }
    if (!isBuiltin(config))
      return [{ ...external.transformer(config, environment), place, origin: pluginOrigin(config) }]
    const builtin = BUILTIN_TRANSFORMERS.get(config.kind)
    if (!builtin) throw notThat(config, BUILTIN_GENERATORS, 'transformer')
    const own = { ...environment, file: config.origin.file }
    const run = configured(config, () => builtin.configure(decodeConfig(builtin.form, config) as never, own))
    return [{ origin: pluginOrigin(config), place, run }]
  })

const isBuiltin = ({ apiVersion }: Resource): boolean => apiVersion === 'builtin'

const notThat = (config: Resource, others: ReadonlyMap<string, unknown>, wanted: string): KustomizeError =>
  others.has(config.kind)
    ? new KustomizeError(`plugin ${idString(config.originalId())} not a ${wanted}`, kindOf(config))
    : new KustomizeError(`unable to load builtin ${gvkString(config.gvk)}`, kindOf(config))

const kindOf = (config: Resource): ErrorPlace => ({ file: config.origin.file, field: 'kind' })

const configured = <T>(config: Resource, configure: () => T): T => {
  try {
    return configure()
  } catch (error) {
    throw wrapError(`plugin ${idString(config.originalId())} fails configuration`, error, { file: config.origin.file })
  }
}

const decodeConfig = (form: Parameters<typeof decodeStruct>[0], config: Resource): JsonObject => {
  const data = config.toJson()
  const decoded: Record<string, unknown> = decodeStruct(form, data, { lenient: true })
  const specs = decoded.fieldSpecs as FieldSpecEntry[] | undefined
  if (specs) decoded.fieldSpecs = specs.map(entry => fieldSpec(entry.path ?? '', entry, entry.create ?? false))
  decoded.shown = emitJson(data)
  return decoded as JsonObject
}

/** What the annotations say of a plugin whose own file is tracked. */
const pluginOrigin = (config: Resource): Origin | undefined => {
  const text = config.annotations().get(ORIGIN_ANNOTATION)
  if (text === undefined) return undefined
  const { path, repo, ref } = (parseYaml(text)[0] ?? {}) as { path?: string; repo?: string; ref?: string }
  return {
    repo,
    ref,
    configuredIn: path,
    configuredBy: {
      apiVersion: config.apiVersion,
      kind: config.kind,
      name: config.name,
      namespace: config.namespace,
    },
  }
}
