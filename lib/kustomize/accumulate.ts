import { Accumulator } from './accumulator.ts'
import type { BuildContext } from './build-tree.ts'
import { generateConfigMap, generateSecret, withGlobalOptions } from './generators/config-data.ts'
import { absorb } from './generators/merge-generated.ts'
import { openTarget, type Target } from './kustomization-target.ts'
import { KustomizeError, wrapError } from './kustomize-error.ts'
import { readFieldSpecs } from './read-field-specs.ts'
import { MalformedYaml, readResources } from './read-resources.ts'
import { ResourceMap } from './resource-map.ts'
import { runTransformers } from './run-transformers.ts'
import { bindVar, toVar } from './vars/var-set.ts'

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
  let gathered: Accumulator
  try {
    gathered = await addResources(into, target, context, kustomization.resources)
  } catch (error) {
    throw wrapError('accumulating resources', error, { file: target.file, field: 'resources' })
  }
  gathered.addSpecs(readFieldSpecs(kustomization.configurations, loader))
  runGenerators(gathered, target, context)
  try {
    gathered = await addComponents(gathered, target, context)
  } catch (error) {
    throw wrapError('accumulating components', error, { file: target.file, field: 'components' })
  }
  runTransformers(gathered, target, context)
  for (const entry of kustomization.vars) {
    const added = toVar(entry)
    bindVar(gathered.resources, added, context.schema)
    gathered.vars.add(added)
  }
  for (const resource of gathered.resources.list) resource.origin = { ...resource.origin, overlay: loader.directory }
  return gathered
}

/** Each path is a file with resources, or else a directory with a kustomization. */
const addResources = async (
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  paths: readonly string[],
): Promise<Accumulator> => {
  for (const path of paths) {
    try {
      addFile(gathered, target, context, path)
    } catch (error) {
      await addDirectoryAfter(error, gathered, target, context, path)
    }
  }
  return gathered
}

const addFile = (gathered: Accumulator, { loader }: Target, { schema }: BuildContext, path: string): void => {
  const file = loader.resolve(path) ?? path
  let resources: ResourceMap
  try {
    const read = readResources(loader.load(path), schema, { file, overlay: loader.directory })
    resources = new ResourceMap()
    resources.appendAll(read)
  } catch (error) {
    const cause =
      error instanceof MalformedYaml ? new MalformedYaml(`${error.message} in File: ${path}`, { file }, error) : error
    throw wrapError(`accumulating resources from '${path}'`, cause, { file })
  }
  try {
    gathered.resources.appendAll(resources.list)
  } catch (error) {
    throw wrapError(`merging resources from '${path}'`, error, { file })
  }
}

/** What couldn't be read as a file may be a directory. */
const addDirectoryAfter = async (
  asFile: unknown,
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  path: string,
): Promise<void> => {
  const prefix = `accumulation err='${(asFile as Error).message}'`
  let loader: Target['loader']
  try {
    loader = target.loader.open(path)
  } catch (error) {
    if ((asFile as Error).cause instanceof MalformedYaml) throw asFile
    throw wrapError(prefix, error)
  }
  try {
    await addDirectory(gathered, loader, context, 'Kustomization')
  } catch (error) {
    throw wrapError(prefix, error)
  }
}

const addComponents = async (gathered: Accumulator, target: Target, context: BuildContext): Promise<Accumulator> => {
  let all = gathered
  for (const path of target.kustomization.components) {
    let loader: Target['loader']
    try {
      loader = target.loader.open(path)
    } catch (error) {
      throw quoted('loader.New', error)
    }
    try {
      all = await addDirectory(all, loader, context, 'Component')
    } catch (error) {
      throw quoted('accumulateDirectory', error)
    }
  }
  return all
}

const quoted = (prefix: string, error: unknown): KustomizeError => {
  const { message, file, field } = error as KustomizeError
  const separator = prefix === 'loader.New' ? ' ' : ': '
  return new KustomizeError(`${prefix}${separator}${JSON.stringify(message)}`, { file, field }, error)
}

const addDirectory = async (
  gathered: Accumulator,
  loader: Target['loader'],
  context: BuildContext,
  kind: 'Kustomization' | 'Component',
): Promise<Accumulator> => {
  const directory = loader.shownDirectory
  let target: Target
  try {
    target = openTarget(loader, context.warn)
  } catch (error) {
    throw wrapError(`couldn't make target for path '${directory}'`, error)
  }
  const { kustomization, file } = target
  context.schema.use(kustomization.openapi, path => loader.load(path))
  const isComponent = kustomization.kind === 'Component'
  if (kind === 'Component' && !isComponent)
    throw new KustomizeError(`expected kind 'Component' for path '${directory}' but got '${kustomization.kind}'`, {
      file,
      field: 'kind',
    })
  if (kind !== 'Component' && isComponent)
    throw new KustomizeError(`expected kind != 'Component' for path '${directory}'`, { file, field: 'kind' })

  let below: Accumulator
  try {
    below = await accumulate(target, context, isComponent ? gathered : new Accumulator())
  } catch (error) {
    throw wrapError(`recursed accumulation of path '${directory}'`, error)
  }
  // A component worked on what there was; a base brings its own.
  if (isComponent) return below
  try {
    gathered.merge(below)
  } catch (error) {
    throw wrapError(`recursed merging from path '${directory}'`, error)
  }
  return gathered
}

const runGenerators = (gathered: Accumulator, target: Target, { schema }: BuildContext): void => {
  const { kustomization, loader, file } = target
  const context = { loader, schema, origin: { file, overlay: loader.directory } }
  const { configMapGenerator, secretGenerator, generatorOptions } = kustomization
  const made = [
    ...configMapGenerator.map(entry => generateConfigMap(withGlobalOptions(entry, generatorOptions), context)),
    ...secretGenerator.map(entry => generateSecret(withGlobalOptions(entry, generatorOptions), context)),
  ]
  for (const resource of made) {
    try {
      absorb(gathered.resources, resource)
    } catch (error) {
      throw wrapError('merging from generator', error, { file })
    }
  }
}
