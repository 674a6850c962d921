import { Accumulator } from './accumulator.ts'
import type { BuildContext } from './build-tree.ts'
import { readCrdSpecs } from './crds.ts'
import { generateConfigMap, generateSecret, withGlobalOptions } from './generators/config-data.ts'
import { absorb } from './generators/merge-generated.ts'
import type { PatchEntry } from './kustomization.ts'
import { openTarget, type Target } from './kustomization-target.ts'
import { KustomizeError, wrapError } from './kustomize-error.ts'
import type { Loader } from './loader.ts'
import { setMissingOrigin, setOrigin } from './origin.ts'
import { loadGenerators, loadTransformers } from './plugins/load-plugins.ts'
import type { Generator, Transformer } from './plugins/plugin.ts'
import { readFieldSpecs } from './read-field-specs.ts'
import { inFile, MalformedYaml, readDocuments, readResources } from './read-resources.ts'
import { Resource } from './resource.ts'
import { ResourceMap } from './resource-map.ts'
import { builtinTransformers, runTransformers } from './run-transformers.ts'
import { runValidators } from './run-validators.ts'
import { applyPatch, type LoadedPatch, loadPatch } from './transformers/patches.ts'
import { bindVar, goVars, toVar } from './vars/var-set.ts'

/**
 * Carries out a kustomization: its resources first, then what it generates, its components, and its transformers over all
 * of that. A component starts with what its parent has gathered (`into`).
 */
export const accumulate = async (
  target: Target,
  context: BuildContext,
  into: Accumulator = new Accumulator(),
): Promise<Accumulator> => {
  const { kustomization, loader } = target
  const gathered = await wrappingAll('accumulating resources', target, 'resources', () =>
    addResources(into, target, context, kustomization.resources),
  )
  gathered.addSpecs(readFieldSpecs(kustomization.configurations, loader))
  gathered.addSpecs(readCrdSpecs(kustomization.crds, loader))
  await runGenerators(gathered, target, context)
  const all = await wrappingAll('accumulating components', target, 'components', () =>
    addComponents(gathered, target, context),
  )
  await runTransformers(all.resources, await transformersOf(all, target, context))
  await runValidators(all.resources, await pluginTransformers(target, context, kustomization.validators))
  addVars(all, target, context)
  for (const resource of all.resources.list) resource.origin = { ...resource.origin, overlay: loader.directory }
  return all
}

const addVars = (gathered: Accumulator, { kustomization, file }: Target, { schema }: BuildContext): void => {
  const added = kustomization.vars.map(toVar)
  try {
    for (const one of added) bindVar(gathered.resources, one, schema)
    for (const one of added) gathered.vars.add(one)
  } catch (error) {
    throw wrapError(`merging vars ${goVars(kustomization.vars)}`, error, { file, field: 'vars' })
  }
}

const wrappingAll = async <T>(prefix: string, { file }: Target, field: string, step: () => Promise<T>): Promise<T> => {
  try {
    return await step()
  } catch (error) {
    throw wrapError(prefix, error, { file, field })
  }
}

/** Each path is a file with resources, or else a directory with a kustomization. */
const addResources = async (
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  paths: readonly string[],
): Promise<Accumulator> => {
  for (const path of paths) {
    const asFile = (): void => addFile(gathered, target, context, path)
    const failure = target.loader.isDirectory(path) ? () => failureOf(asFile) : failureNow(asFile)
    if (failure) await addDirectoryInstead(failure, gathered, target, context, path)
  }
  return gathered
}

/** Runs a step; how it failed, or undefined. */
const failureNow = (step: () => void): (() => Error) | undefined => {
  try {
    step()
    return undefined
  } catch (error) {
    return () => error as Error
  }
}

const failureOf = (step: () => void): Error => failureNow(step)?.() ?? new Error('')

const addFile = (gathered: Accumulator, target: Target, { schema, memory }: BuildContext, path: string): void => {
  const { loader, originPath } = target
  const file = loader.resolve(path) ?? path
  const read = new ResourceMap()
  try {
    const content = loader.load(path)
    try {
      const origin = { file, overlay: loader.directory }
      read.appendAll(memory.file(`${origin.overlay} ${file}`, content, () => readResources(content, schema, origin)))
    } catch (error) {
      throw inFile(error, path, file)
    }
  } catch (error) {
    throw wrapError(`accumulating resources from '${path}'`, error, { file })
  }
  if (originPath !== undefined)
    for (const resource of read.list) setOrigin(resource, { path: joinOrigin(originPath, path) })
  try {
    gathered.resources.appendAll(read.list)
  } catch (error) {
    throw wrapError(`merging resources from '${path}'`, error, { file })
  }
}

/** Paths of origins are joined as file paths, and may lead upwards. */
const joinOrigin = (base: string, path: string): string => {
  const parts: string[] = []
  for (const part of `${base}/${path}`.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}

/** What isn't a file with resources may be a directory; why it is no file is told if that fails as well. */
const addDirectoryInstead = async (
  asFile: () => Error,
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  path: string,
): Promise<void> => {
  let loader: Loader
  try {
    loader = target.loader.open(path)
  } catch (error) {
    const failure = asFile()
    if (failure.cause instanceof MalformedYaml) throw failure
    throw wrapError(`accumulation err='${failure.message}'`, error)
  }
  try {
    await addDirectory(gathered, loader, target, context, { path, kind: 'Kustomization' })
  } catch (error) {
    throw wrapError(`accumulation err='${asFile().message}'`, error)
  }
}

const addComponents = async (gathered: Accumulator, target: Target, context: BuildContext): Promise<Accumulator> => {
  let all = gathered
  for (const path of target.kustomization.components) {
    let loader: Loader
    try {
      loader = target.loader.open(path)
    } catch (error) {
      throw quoted('loader.New ', error)
    }
    try {
      all = await addDirectory(all, loader, target, context, { path, kind: 'Component' })
    } catch (error) {
      throw quoted('accumulateDirectory: ', error)
    }
  }
  return all
}

const quoted = (prefix: string, error: unknown): KustomizeError => {
  const { message, file, field } = error as KustomizeError
  return new KustomizeError(`${prefix}${JSON.stringify(message)}`, { file, field }, error)
}

const addDirectory = async (
  gathered: Accumulator,
  loader: Loader,
  parent: Target,
  context: BuildContext,
  { path, kind }: { path: string; kind: 'Kustomization' | 'Component' },
): Promise<Accumulator> => {
  const originPath = parent.originPath === undefined ? undefined : joinOrigin(parent.originPath, path)
  // A component works on what there is; a base brings its own.
  if (kind === 'Component') return accumulateDirectory(loader, originPath, context, gathered)
  const key = JSON.stringify([loader.directory, originPath])
  const below = await context.memory.directory(key, () => accumulateDirectory(loader, originPath, context))
  try {
    gathered.merge(below)
  } catch (error) {
    throw wrapError(`recursed merging from path '${loader.shownDirectory}'`, error)
  }
  return gathered
}

/** Carries out the kustomization of a directory: of a component when there is something for it to work on. */
const accumulateDirectory = async (
  loader: Loader,
  originPath: string | undefined,
  context: BuildContext,
  into?: Accumulator,
): Promise<Accumulator> => {
  const directory = loader.shownDirectory
  let target: Target
  try {
    target = { ...openTarget(loader, context.warn), originPath }
  } catch (error) {
    throw wrapError(`couldn't make target for path '${directory}'`, error)
  }
  const { kustomization, file } = target
  context.schema.use(kustomization.openapi, document => loader.load(document))
  const isComponent = kustomization.kind === 'Component'
  if (into && !isComponent)
    throw new KustomizeError(`expected kind 'Component' for path '${directory}' but got '${kustomization.kind}'`, {
      file,
      field: 'kind',
    })
  if (!into && isComponent)
    throw new KustomizeError(`expected kind != 'Component' for path '${directory}'`, { file, field: 'kind' })

  try {
    return await accumulate(target, context, into)
  } catch (error) {
    throw wrapError(`recursed accumulation of path '${directory}'`, error)
  }
}

const builtinOrigin =
  ({ originPath, fileName }: Target): ((kind: string) => Transformer['origin']) =>
  kind =>
    originPath === undefined
      ? undefined
      : { configuredIn: joinOrigin(originPath, fileName), configuredBy: { apiVersion: 'builtin', kind } }

const runGenerators = async (gathered: Accumulator, target: Target, context: BuildContext): Promise<void> => {
  const { kustomization, file } = target
  for (const generator of [...builtinGenerators(target, context), ...(await pluginGenerators(target, context))]) {
    const made = await generator.generate()
    try {
      for (const resource of made) {
        if (generator.origin) setMissingOrigin(resource, generator.origin)
        absorb(gathered.resources, resource)
      }
    } catch (error) {
      throw wrapError('merging from generator', error, { file })
    }
  }
  if (kustomization.helmCharts.length > 0) context.refuseHelm(kustomization, file)
}

const builtinGenerators = (target: Target, { schema }: BuildContext): Generator[] => {
  const { kustomization, loader, file } = target
  const context = { loader, schema, origin: { file, overlay: loader.directory } }
  const originOf = builtinOrigin(target)
  const { configMapGenerator, secretGenerator, generatorOptions } = kustomization
  return [
    ...configMapGenerator.map(entry => ({
      origin: originOf('ConfigMapGenerator'),
      generate: () => [generateConfigMap(withGlobalOptions(entry, generatorOptions), context)],
    })),
    ...secretGenerator.map(entry => ({
      origin: originOf('SecretGenerator'),
      generate: () => [generateSecret(withGlobalOptions(entry, generatorOptions), context)],
    })),
  ]
}

const pluginGenerators = async (target: Target, context: BuildContext): Promise<Generator[]> => {
  const { kustomization, loader, file } = target
  if (kustomization.generators.length === 0) return []
  return wrappingAll('loading generator plugins', target, 'generators', async () => {
    const configs = await pluginConfigs(target, context, kustomization.generators)
    return loadGenerators(configs, { loader, schema: context.schema, file }, context.plugins)
  })
}

/**
 * Plugins of whole API groups transform before what is built in: those that generate as well as those that only transform.
 * `patched` are the patches that were meant for their virtual resources.
 */
const groupTransformers = async (
  target: Target,
  context: BuildContext,
): Promise<{ transformers: Transformer[]; patched: ReadonlySet<PatchEntry> }> => {
  const { groups } = context.plugins
  if (!groups) return { transformers: [], patched: new Set() }
  const { kustomization, loader, file } = target
  const generating = await pluginConfigs(target, context, kustomization.generators)
  const transforming = await pluginConfigs(target, context, kustomization.transformers)
  const byGroup = Map.groupBy([...generating, ...transforming], config => groups.groupOf(config) ?? '')
  byGroup.delete('')
  const required = new Set(transforming.map(config => groups.groupOf(config)))
  const transformers = [...byGroup].map(([group, configs]) =>
    groups.transformer(group, configs, required.has(group), { loader, schema: context.schema, file }),
  )
  const virtual = [...byGroup.values()].flat()
  return { transformers, patched: new Set(virtualPatches(virtual, target, context).map(({ entry }) => entry)) }
}

const transformersOf = async (
  { specs }: Accumulator,
  target: Target,
  context: BuildContext,
): Promise<readonly Transformer[]> => {
  const { kustomization, loader, file } = target
  const environment = { loader, schema: context.schema, file }
  const early = await groupTransformers(target, context)
  const patches = kustomization.patches.filter(patch => patch.target || !early.patched.has(patch))
  const builtin = builtinTransformers({ ...kustomization, patches }, specs, environment, builtinOrigin(target))
  return [...early.transformers, ...builtin, ...(await pluginTransformers(target, context, kustomization.transformers))]
}

const pluginTransformers = async (
  target: Target,
  context: BuildContext,
  entries: readonly string[],
): Promise<Transformer[]> => {
  if (entries.length === 0) return []
  const { loader, file } = target
  const configs = await pluginConfigs(target, context, entries)
  return loadTransformers(configs, { loader, schema: context.schema, file }, context.plugins)
}

/** The configurations of plugins: written in place, or read like resources. */
const pluginConfigs = async (
  target: Target,
  context: BuildContext,
  entries: readonly string[],
): Promise<readonly Resource[]> => {
  const { loader, file, fileName, originPath } = target
  const gathered = new Accumulator()
  const virtual: Resource[] = []
  const paths: string[] = []
  for (const entry of entries) {
    if (context.plugins.enabled && readVirtual(entry, virtual, target, context)) continue
    let inline: Resource[]
    try {
      inline = readResources(entry, context.schema, { file, overlay: loader.directory })
    } catch {
      paths.push(entry)
      continue
    }
    if (originPath !== undefined)
      for (const resource of inline) setOrigin(resource, { path: joinOrigin(originPath, fileName) })
    gathered.resources.appendAll(inline)
  }
  await addResources(gathered, target, context, paths)
  const configs = [...virtual, ...gathered.resources.list]
  patchVirtual(configs, target, context)
  return configs
}

/** Virtual resources of group plugins need no name; a file is theirs when all in it is for such plugins. */
const readVirtual = (entry: string, virtual: Resource[], { loader, file }: Target, context: BuildContext): boolean => {
  const { groups } = context.plugins
  const content = entry.includes('\n') ? entry : loader.isDirectory(entry) ? undefined : loader.tryLoad(entry)
  if (content === undefined || !groups) return false
  const origin = { file: entry.includes('\n') ? file : (loader.resolve(entry) ?? entry), overlay: loader.directory }
  let read: Resource[]
  try {
    read = readDocuments(content).map(node => new Resource(node, context.schema, origin))
  } catch {
    return false
  }
  if (read.length === 0 || !read.every(config => groups.groupOf(config) !== undefined)) return false
  virtual.push(...read)
  return true
}

/** Patches whose target is a virtual resource change it before its plugin sees it. */
const patchVirtual = (configs: readonly Resource[], target: Target, context: BuildContext): void => {
  const { groups } = context.plugins
  const virtual = configs.filter(config => groups?.groupOf(config) !== undefined)
  const map = new ResourceMap([...virtual])
  for (const patch of virtualPatches(virtual, target, context)) applyPatch(map, patch)
}

/** The patches that choose virtual resources by their names, or by a target. */
const virtualPatches = (virtual: readonly Resource[], target: Target, context: BuildContext): LoadedPatch[] => {
  if (virtual.length === 0) return []
  const map = new ResourceMap(virtual.filter(config => config.name !== ''))
  const { loader, file, kustomization } = target
  return kustomization.patches
    .map(entry => loadPatch(entry, loader, context.schema, file))
    .filter(
      ({ entry, strategic }) =>
        entry.target !== undefined || strategic?.every(patch => map.sameId(patch.originalId()).length > 0),
    )
}
