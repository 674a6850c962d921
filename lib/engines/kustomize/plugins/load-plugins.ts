import type { Budget } from '../../../foundations/budget/budget.ts'
import { emitJson } from '../../yaml/emit-json.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import { type StructForm, unmarshal } from '../go-struct.ts'
import type { FieldSpecEntry } from '../kustomization.ts'
import { struct } from '../kustomization-form.ts'
import { KustomizeError, within, wrapError, wrapping } from '../kustomize-error.ts'
import { ORIGIN_ANNOTATION, type Origin } from '../origin.ts'
import { specsOf, yamlAsJson } from '../read-field-specs.ts'
import type { Resource } from '../resource.ts'
import { gvkString, idString } from '../resource-id.ts'
import { BUILTIN_GENERATORS } from './builtin-generators.ts'
import { BUILTIN_TRANSFORMERS } from './builtin-transformers.ts'
import type { ExternalPlugins } from './external-plugins.ts'
import type { Generator, Transformer, TransformerEnvironment } from './plugin.ts'

/** Creates generators from the resources of `generators:` files. */
export const loadGenerators = (
  configs: readonly Resource[],
  environment: TransformerEnvironment,
  external: ExternalPlugins,
): Generator[] => {
  // All virtual resources of a group go to its plugin together.
  const batches = Map.groupBy(configs, config => external.groups?.groupOf(config) ?? config)
  return [...batches].map(([of, batch]) =>
    typeof of === 'string'
      ? external.groups!.generator(of, batch, environment)
      : loadGenerator(of, environment, external),
  )
}

const loadGenerator = (config: Resource, environment: TransformerEnvironment, external: ExternalPlugins): Generator => {
  const place = { file: config.origin.file, field: 'generators' }
  return within(place, () => {
    const generate = wrapping('failed to load generator', () =>
      isBuiltin(config)
        ? builtinStep('generator', BUILTIN_GENERATORS, BUILTIN_TRANSFORMERS, config, environment)
        : external.generator(config, environment).generate,
    )
    const origin = wrapping('failed to get origin from CustomPlugin', () => pluginOrigin(config, environment.budget))
    return { generate, origin, place }
  })
}

/** Creates transformers from the resources of `transformers:` or `validators:` files. */
export const loadTransformers = (
  configs: readonly Resource[],
  list: 'transformers' | 'validators',
  environment: TransformerEnvironment,
  external: ExternalPlugins,
): Transformer[] =>
  configs.flatMap(config => {
    const place = { file: config.origin.file, field: list }
    if (external.groups?.groupOf(config) !== undefined) {
      // Those of group plugins already ran.
      if (list === 'transformers') return []
      throw new KustomizeError(`${config.kind} is not a validator: plugins of API groups generate and transform`, place)
    }
    return within(place, () => {
      const run = isBuiltin(config)
        ? builtinStep('transformer', BUILTIN_TRANSFORMERS, BUILTIN_GENERATORS, config, environment)
        : external.transformer(config, environment).run
      return [{ run, origin: pluginOrigin(config, environment.budget), place }]
    })
  })

const isBuiltin = ({ apiVersion }: Resource): boolean => apiVersion === 'builtin'

interface Builtin<Step> {
  readonly form: StructForm
  readonly reading?: string
  check?(environment: TransformerEnvironment): void
  configure(config: never, environment: TransformerEnvironment): Step
}

/** The step for a configuration. One of the `others` is set up as well before it is refused. */
const builtinStep = <Step>(
  wanted: 'generator' | 'transformer',
  builtins: ReadonlyMap<string, Builtin<Step>>,
  others: ReadonlyMap<string, Builtin<unknown>>,
  config: Resource,
  environment: TransformerEnvironment,
): Step => {
  const place = { field: 'kind' }
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
  return wrapping(`plugin ${idString(config.originalId())} fails configuration`, () => {
    builtin.check?.(environment)
    return builtin.configure(decodeConfig(builtin, data) as never, { ...environment, file })
  })
}

const dataOf = (config: Resource): JsonObject => {
  try {
    return config.toJson()
  } catch (error) {
    const { cause, field } = error as KustomizeError
    throw wrapError(`marshalling yaml from res ${idString(config.originalId())}`, cause, { field })
  }
}

const decodeConfig = (builtin: Builtin<unknown>, data: JsonObject): JsonObject => {
  const decoded: Record<string, unknown> = unmarshalled(builtin, data)
  const specs = decoded.fieldSpecs as FieldSpecEntry[] | undefined
  if (specs) decoded.fieldSpecs = specsOf(specs)
  decoded.shown = emitJson(data)
  return decoded as JsonObject
}

const unmarshalled = ({ form, reading }: Builtin<unknown>, data: JsonObject): JsonObject =>
  reading ? wrapping(reading, () => unmarshal(form, data)) : unmarshal(form, data)

const IDENTIFIER = struct('ResourceIdentifier', {}, [
  struct('TypeMeta', { apiVersion: 'string', kind: 'string' }),
  struct('NameMeta', { name: 'string', namespace: 'string' }),
])
const ORIGIN_FIELDS = { path: 'string', repo: 'string', ref: 'string', configuredIn: 'string' } as const
const ORIGIN: StructForm = {
  ...struct('Origin', { ...ORIGIN_FIELDS, configuredBy: { ...IDENTIFIER, package: 'yaml' } }),
  package: 'resource',
}

/** The origin from the annotations of a plugin whose own file is tracked. */
const pluginOrigin = (config: Resource, budget: Budget): Origin | undefined => {
  const text = config.annotations().get(ORIGIN_ANNOTATION)
  if (text === undefined) return undefined
  const { path, repo, ref }: Origin = unmarshal(ORIGIN, yamlAsJson(text, config.origin.file, budget))
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
