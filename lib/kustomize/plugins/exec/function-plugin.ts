import { emitJson } from '../../../yaml/emit-json.ts'
import { isObject, type JsonObject } from '../../../yaml/json-value.ts'
import { parseYaml } from '../../../yaml/parse.ts'
import { KustomizeError, wrapError } from '../../kustomize-error.ts'
import { readResources } from '../../read-resources.ts'
import type { Resource } from '../../resource.ts'
import { idString } from '../../resource-id.ts'
import { normalize } from '../../tree-path.ts'
import type { Generator, PluginEnvironment, Transformer } from '../plugin.ts'
import { takeGeneratorOptions } from './plugin-output.ts'
import type { PluginOptions } from './plugin-runner.ts'
import { replaceResources } from './replace-resources.ts'
import { runProgram } from './run-program.ts'

const ANNOTATIONS = ['config.kubernetes.io/function', 'config.k8s.io/function']

/** What the function annotation of a configuration asks for; undefined when it has none. */
export const functionSpec = (config: Resource): JsonObject | undefined => {
  const annotations = config.annotations()
  const text = ANNOTATIONS.map(name => annotations.get(name)).find(value => value !== undefined)
  if (text === undefined) return undefined
  const spec = parseYaml(text)[0]
  return isObject(spec) ? spec : {}
}

/** A KRM function that is a program of the tree: a ResourceList goes in, and one comes out. */
export const functionPlugin = (
  { runner, functionEnvironment = [], functionNetwork = false }: PluginOptions,
  config: Resource,
  spec: JsonObject,
  environment: PluginEnvironment,
): Generator & Transformer => {
  refuseMounts(config, spec)
  const exec = isObject(spec.exec) ? spec.exec : undefined
  if (typeof exec?.path !== 'string') {
    const fail = async (): Promise<never> => {
      throw refusal(config, spec, functionNetwork, environment)
    }
    return { generate: fail, run: fail }
  }
  const path = localPath(exec.path, config)
  const args = Array.isArray(exec.args) ? exec.args.map(String) : []
  const own = Array.isArray(exec.envs) ? exec.envs.map(String) : []
  const variables = environmentOf([...own, ...functionEnvironment])

  const call = async (items: readonly Resource[]): Promise<Resource[]> => {
    const list = {
      apiVersion: 'config.kubernetes.io/v1',
      kind: 'ResourceList',
      items: items.map(item => item.toJson()),
      functionConfig: config.toJson(),
    }
    const request = { program: { local: path }, args, stdin: emitJson(list), environment: variables }
    const name = `${config.kind} ${config.name}`
    try {
      const result = await runProgram(runner, name, request, environment)
      if (result === 'unsupported') throw new KustomizeError(`failure in plugin ${name}; exit status 127`)
      return readResources(result.output, environment.schema, {
        file: config.origin.file,
        overlay: environment.loader.directory,
      })
    } catch (error) {
      throw wrapError("couldn't execute function", error, { file: config.origin.file })
    }
  }
  return {
    generate: async () => takeGeneratorOptions(await call([])),
    run: async map => replaceResources(map, await call(map.list), `${config.kind} ${config.name}`),
  }
}

/** Later ones win; what is not NAME=VALUE doesn't count. */
const environmentOf = (entries: readonly string[]): Record<string, string> =>
  Object.fromEntries(entries.map(entry => entry.split('=')).filter(parts => parts.length === 2))

/** Why a function can't be run: as kustomize says it where it could not run it either. */
const refusal = (
  config: Resource,
  { container }: JsonObject,
  hasNetwork: boolean,
  { loader }: PluginEnvironment,
): KustomizeError => {
  const place = { file: config.origin.file, field: ANNOTATIONS[0]! }
  if (isObject(container) && container.network === true && !hasNetwork)
    return new KustomizeError("couldn't execute function: network required but not enabled with --network", place)
  if (loader.shownDirectory === '/')
    return new KustomizeError("couldn't execute function: root working directory '/' not allowed", place)
  return new KustomizeError(
    `plugin ${idString(config.originalId())} is a container function; only functions with exec can be run here`,
    place,
  )
}

/** Programs lie in the kustomization's directory or below. */
const localPath = (path: string, config: Resource): string => {
  const local = path.startsWith('/') ? undefined : normalize(path)
  if (local === undefined)
    throw new KustomizeError(
      `plugin ${idString(config.originalId())}: ${path} is not below the kustomization's directory`,
      {
        file: config.origin.file,
      },
    )
  return local
}

const refuseMounts = (config: Resource, spec: JsonObject): void => {
  const container = isObject(spec.container) ? spec.container : {}
  for (const mount of Array.isArray(container.mounts) ? container.mounts : []) {
    const src = isObject(mount) && typeof mount.src === 'string' ? mount.src : ''
    const rule = src.startsWith('/')
      ? 'mount paths must be relative to the current kustomization directory'
      : normalize(src) === undefined
        ? 'mount paths must be under the current kustomization directory'
        : undefined
    if (rule)
      throw new KustomizeError(
        `plugin ${idString(config.originalId())} with mount path '${src}' is not permitted; ${rule}`,
        { file: config.origin.file },
      )
  }
}
