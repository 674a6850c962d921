import type { Budget } from '../../../../foundations/budget/budget.ts'
import { emitJson } from '../../../yaml/emit-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../yaml/json-value.ts'
import { KustomizeError, within, wrapError, wrapping } from '../../kustomize-error.ts'
import { yamlAsJson } from '../../read-field-specs.ts'
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

/** The function annotation of a configuration; undefined if it has none. */
export const functionSpec = (config: Resource, budget: Budget): JsonObject | undefined => {
  const name = annotationOf(config)
  if (name === undefined) return undefined
  const spec = within({ field: name }, () =>
    wrapping(`loader: failed to get FunctionSpec: ${name} unmarshal error`, () =>
      yamlAsJson(config.annotations().get(name)!, config.origin.file, budget),
    ),
  )
  return isObject(spec) ? spec : {}
}

const annotationOf = (config: Resource): string | undefined => ANNOTATIONS.find(name => config.annotations().get(name))

/** A KRM function that is a program of the tree: reads and writes a ResourceList. */
export const functionPlugin = (
  { runner, functionEnvironment, functionNetwork }: PluginOptions,
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
  const args = listIn(exec.args).map(String)
  const variables = { ...variablesIn(listIn(exec.envs).map(String)), ...variablesIn(functionEnvironment) }

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
      const output = await runProgram(runner, name, request, environment)
      if (output === undefined) throw new KustomizeError(`failure in plugin ${name}; exit status 127`)
      return readResources(output, environment, {
        file: config.origin.file,
        overlay: environment.loader.directory,
      })
    } catch (error) {
      throw wrapError("couldn't execute function", error)
    }
  }
  return {
    generate: async () => takeGeneratorOptions(await call([])),
    run: async map => replaceResources(map, await call(map.list), `${config.kind} ${config.name}`),
  }
}

const listIn = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

/** Later ones win; entries other than NAME=VALUE are ignored. */
const variablesIn = (entries: readonly string[] | undefined): Record<string, string> =>
  Object.fromEntries(entries?.map(entry => entry.split('=')).filter(parts => parts.length === 2) ?? [])

/** Why a function can't be run: kustomize's message where kustomize refuses it too. */
const refusal = (
  config: Resource,
  { container }: JsonObject,
  hasNetwork: boolean | undefined,
  { loader }: PluginEnvironment,
): KustomizeError => {
  const place = { field: annotationOf(config) }
  if (isObject(container) && container.network === true && !hasNetwork)
    return new KustomizeError("couldn't execute function: network required but not enabled with --network", place)
  if (loader.shownDirectory === '/')
    return new KustomizeError("couldn't execute function: root working directory '/' not allowed", place)
  return new KustomizeError(
    `plugin ${idString(config.originalId())} is a container function; only functions with exec can be run here`,
    place,
  )
}

/** Programs must be in or below the kustomization's directory. */
const localPath = (path: string, config: Resource): string => {
  const local = path.startsWith('/') ? undefined : normalize(path)
  if (local === undefined)
    throw new KustomizeError(
      `plugin ${idString(config.originalId())}: ${path} is not below the kustomization's directory`,
    )
  return local
}

const refuseMounts = (config: Resource, spec: JsonObject): void => {
  const container = isObject(spec.container) ? spec.container : {}
  for (const mount of listIn(container.mounts)) {
    if (!isObject(mount) || typeof mount.src !== 'string') continue
    const { src } = mount
    const rule = src.startsWith('/')
      ? 'mount paths must be relative to the current kustomization directory'
      : normalize(src) === undefined
        ? 'mount paths must be under the current kustomization directory'
        : undefined
    if (rule)
      throw new KustomizeError(
        `plugin ${idString(config.originalId())} with mount path '${src}' is not permitted; ${rule}`,
      )
  }
}
