import { emitJson } from '../../yaml/emit-json.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import { parseYaml } from '../../yaml/parse.ts'
import { fieldSpec } from '../field-spec.ts'
import { decodeStruct, type StructForm } from '../go-struct.ts'
import type { FieldSpecEntry } from '../kustomization.ts'
import { KustomizeError, wrapError } from '../kustomize-error.ts'
import { ORIGIN_ANNOTATION, type Origin } from '../origin.ts'
import type { Resource } from '../resource.ts'
import { gvkString, idString } from '../resource-id.ts'
import { BUILTIN_GENERATORS } from './builtin-generators.ts'
import { BUILTIN_TRANSFORMERS } from './builtin-transformers.ts'
import type { ExternalPlugins } from './external-plugins.ts'
import type { Generator, Transformer, TransformerEnvironment } from './plugin.ts'

/** Turns the resources of `generators:` files into generators. */
export const loadGenerators = (
  configs: readonly Resource[],
  environment: TransformerEnvironment,
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

const loadGenerator = (config: Resource, environment: TransformerEnvironment, external: ExternalPlugins): Generator => {
  try {
    if (!isBuiltin(config)) return { ...external.generator(config, environment), origin: pluginOrigin(config) }
    const generate = builtinStep('generator', BUILTIN_GENERATORS, BUILTIN_TRANSFORMERS, config, environment)
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
    const run = builtinStep('transformer', BUILTIN_TRANSFORMERS, BUILTIN_GENERATORS, config, environment)
    return [{ origin: pluginOrigin(config), place, run }]
  })

const isBuiltin = ({ apiVersion }: Resource): boolean => apiVersion === 'builtin'

interface Builtin<Step> {
  readonly form: StructForm
  readonly reading?: string
  configure(config: never, environment: TransformerEnvironment): Step
}

/** The step that a configuration asks for. One for the `others` is set up as well before it is refused. */
const builtinStep = <Step>(
  wanted: 'generator' | 'transformer',
  builtins: ReadonlyMap<string, Builtin<Step>>,
  others: ReadonlyMap<string, Builtin<unknown>>,
  config: Resource,
  environment: TransformerEnvironment,
): Step => {
  const place = { file: config.origin.file, field: 'kind' }
  const builtin = builtins.get(config.kind)
  if (builtin) return configured(builtin, config, environment)
  const other = others.get(config.kind)
  if (!other) throw new KustomizeError(`unable to load builtin ${gvkString(config.gvk)}`, place)
  configured(other, config, environment)
  throw new KustomizeError(`plugin ${idString(config.originalId())} not a ${wanted}`, place)
}

const configured = <Step>(builtin: Builtin<Step>, config: Resource, environment: TransformerEnvironment): Step => {
  const { file } = config.origin
  const data = dataOf(config)
  try {
    return builtin.configure(decodeConfig(builtin, data) as never, { ...environment, file })
  } catch (error) {
    throw wrapError(`plugin ${idString(config.originalId())} fails configuration`, error, { file })
  }
}

const dataOf = (config: Resource): JsonObject => {
  try {
    return config.toJson()
  } catch (error) {
    const { cause, file, field } = error as KustomizeError
    throw wrapError(`marshalling yaml from res ${idString(config.originalId())}`, cause, { file, field })
  }
}

const decodeConfig = (builtin: Builtin<unknown>, data: JsonObject): JsonObject => {
  const decoded: Record<string, unknown> = unmarshalled(builtin, data)
  const specs = decoded.fieldSpecs as FieldSpecEntry[] | undefined
  if (specs) decoded.fieldSpecs = specs.map(entry => fieldSpec(entry.path ?? '', entry, entry.create ?? false))
  decoded.shown = emitJson(data)
  return decoded as JsonObject
}

const unmarshalled = ({ form, reading }: Builtin<unknown>, data: JsonObject): JsonObject => {
  try {
    return decodeStruct(form, data, { lenient: true })
  } catch (error) {
    throw wrapError(`${reading ? `${reading}: ` : ''}error unmarshaling JSON: while decoding JSON`, error)
  }
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
