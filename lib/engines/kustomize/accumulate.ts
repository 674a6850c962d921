import type { Budget } from '../../foundations/budget/budget.ts'
import { lookupSteps } from '../yaml/tree-size.ts'
import { Accumulator } from './accumulator.ts'
import type { BuildContext } from './build-context.ts'
import { readCrdSpecs } from './crds.ts'
import { absorb } from './generators/merge-generated.ts'
import { openTarget, type Target } from './kustomization-target.ts'
import { KustomizeError, locatedInStep, within, wrapError, wrappingAll } from './kustomize-error.ts'
import type { Loader } from './loader.ts'
import { originOf, type Source, setMissingOrigin, setOrigin } from './origin.ts'
import type { Generator } from './plugins/plugin.ts'
import { readFieldSpecs } from './read-field-specs.ts'
import { inFile, MalformedYaml, readResources } from './read-resources.ts'
import { isRemoteFile } from './remote-target.ts'
import { RemoteStatusError } from './remotes.ts'
import type { Resource } from './resource.ts'
import { ResourceMap } from './resource-map.ts'
import { runTransformers } from './run-transformers.ts'
import { runValidators } from './run-validators.ts'
import { type Steps, stepsOf } from './steps.ts'
import { bindVar, goVars, toVar } from './vars/var-set.ts'

/**
 * Runs a kustomization: its resources first, then its generators, its components, and its transformers over all of that. A component starts
 * with what its parent has accumulated (`into`).
 */
export const accumulate = async (
  target: Target,
  context: BuildContext,
  into: Accumulator = new Accumulator(),
): Promise<Accumulator> => {
  const { kustomization, loader, file } = target
  const gathered = await wrappingAll('accumulating resources', target, 'resources', () =>
    addResources(into, target, context, kustomization.resources),
  )
  within({ file, field: 'configurations' }, () =>
    gathered.addSpecs(readFieldSpecs(kustomization.configurations, loader)),
  )
  try {
    gathered.addSpecs(readCrdSpecs(kustomization.crds, loader))
  } catch (error) {
    throw wrapError(`loading CRDs [${kustomization.crds.join(' ')}]`, error, { file, field: 'crds' })
  }
  const steps = stepsOf(target, context, addResources)
  await runGenerators(gathered, steps, target, context)
  const all = await wrappingAll('accumulating components', target, 'components', () =>
    addComponents(gathered, target, context),
  )
  await runTransformers(all.resources, await steps.transformers(all.specs), context.budget)
  await runValidators(all.resources, await steps.validators(), file)
  addVars(all, target)
  for (const resource of all.resources.list) resource.origin = { ...resource.origin, overlay: loader.directory }
  return all
}

const runGenerators = async (
  gathered: Accumulator,
  steps: Steps,
  target: Target,
  context: BuildContext,
): Promise<void> => {
  for (const generator of await steps.generators()) {
    const made = await generated(generator)
    try {
      for (const resource of made) {
        if (generator.origin) setMissingOrigin(resource, generator.origin)
        grow(gathered, 1, context.budget, target.file)
        context.budget.spend('steps', lookupSteps(8, gathered.resources.list.length), target.file)
        absorb(gathered.resources, resource)
      }
    } catch (error) {
      throw wrapError('merging from generator', error)
    }
  }
}

const generated = async ({ generate, place = {} }: Generator): Promise<readonly Resource[]> => {
  try {
    return await generate()
  } catch (error) {
    throw locatedInStep(error, place)
  }
}

const addVars = (gathered: Accumulator, { kustomization, file }: Target): void => {
  const added = kustomization.vars.map(toVar)
  try {
    for (const one of added) bindVar(gathered.resources, one)
    for (const one of added) gathered.vars.add(one)
  } catch (error) {
    throw wrapError(`merging vars ${goVars(kustomization.vars)}`, error, { file, field: 'vars' })
  }
}

/** Each path is a file with resources, or a directory with a kustomization. */
const addResources = async (
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  paths: readonly string[],
): Promise<Accumulator> => {
  await target.loader.fetch(paths)
  for (const path of paths) {
    const asFile = (): Error | undefined => failureOf(() => addFile(gathered, target, context, path))
    if (target.loader.isDirectory(path)) {
      await addDirectoryInstead(() => asFile()!, gathered, target, context, path)
      continue
    }
    const failure = asFile()
    if (failure) await addDirectoryInstead(() => failure, gathered, target, context, path)
  }
  return gathered
}

/** Runs a step and returns its error, or undefined. */
const failureOf = (step: () => void): Error | undefined => {
  try {
    step()
    return undefined
  } catch (error) {
    return error as Error
  }
}

const addFile = (gathered: Accumulator, target: Target, context: BuildContext, path: string): void => {
  const { schema, memory, budget } = context
  const { loader, source } = target
  const file = isRemoteFile(path) ? path : (loader.resolve(path) ?? path)
  const read = new ResourceMap()
  try {
    const origin = { file, overlay: loader.directory }
    read.appendAll(memory.resources([origin, path], () => readResources(loader.load(path), { schema, budget }, origin)))
  } catch (error) {
    throw wrapError(`accumulating resources from '${path}'`, inFile(error, path), { file })
  }
  if (source) for (const resource of read.list) setOrigin(resource, originOf(source, path))
  grow(gathered, read.list.length, budget, file)
  try {
    gathered.resources.appendAll(read.list)
  } catch (error) {
    throw wrapError(`merging resources from '${path}'`, error)
  }
}

/** Whether a server refused a file that can't be a repository either. */
const isRefusal = (error: unknown): boolean => error instanceof Error && error.cause instanceof RemoteStatusError

/**
 * An entry that isn't a file with resources may be a directory; if that fails too, the error also describes why it is
 * not a file.
 */
const addDirectoryInstead = async (
  asFile: () => Error,
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  path: string,
): Promise<void> => {
  let loader: Loader
  try {
    loader = await target.loader.open(path)
  } catch (error) {
    const failure = asFile()
    if (failure.cause instanceof MalformedYaml || isRefusal(failure.cause)) throw failure
    throw wrapError(`accumulation err='${failure.message}'`, error)
  }
  try {
    await addDirectory(gathered, loader, target, context, { path, isComponent: false })
  } catch (error) {
    throw wrapError(`accumulation err='${asFile().message}'`, error)
  }
}

const addComponents = async (gathered: Accumulator, target: Target, context: BuildContext): Promise<Accumulator> => {
  let all = gathered
  for (const path of target.kustomization.components) {
    let loader: Loader
    try {
      loader = await target.loader.open(path)
    } catch (error) {
      throw quoted('loader.New ', error)
    }
    try {
      all = await addDirectory(all, loader, target, context, { path, isComponent: true })
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
  { path, isComponent }: { path: string; isComponent: boolean },
): Promise<Accumulator> => {
  const { namespace } = parent
  const { budget } = context
  budget.spend('bases', 1, loader.shownDirectory)
  budget.reach('depth', loader.depth, loader.shownDirectory)
  const source = parent.source && originOf(parent.source, path)
  // A component works on the parent's resources, and its result replaces them; a base adds its own.
  if (isComponent) {
    const below = await accumulateDirectory(loader, { source, namespace }, context, gathered)
    return merged(new Accumulator(), below, loader, budget)
  }
  const key = [loader.directory, source, namespace]
  const below = await context.memory.directory(key, () => accumulateDirectory(loader, { source, namespace }, context))
  return merged(gathered, below, loader, budget)
}

/** Charges one step for each resource that is about to be added to a kustomization's. */
const grow = ({ resources }: Accumulator, count: number, budget: Budget, place: string): void => {
  budget.spend('steps', count, place)
  budget.reach('resources', resources.list.length + count, place)
}

const merged = (into: Accumulator, below: Accumulator, { shownDirectory }: Loader, budget: Budget): Accumulator => {
  grow(into, below.resources.list.length, budget, shownDirectory)
  try {
    into.merge(below)
  } catch (error) {
    throw wrapError(`recursed merging from path '${shownDirectory}'`, error)
  }
  return into
}

/** Runs the kustomization of a directory; that of a component only if its parent has accumulated something. */
const accumulateDirectory = async (
  loader: Loader,
  { source, namespace }: { source: Source | undefined; namespace: string },
  context: BuildContext,
  into?: Accumulator,
): Promise<Accumulator> => {
  const directory = loader.shownDirectory
  let target: Target
  try {
    target = { ...(await openTarget(loader, context, namespace)), source }
  } catch (error) {
    throw wrapError(`couldn't make target for path '${directory}'`, error)
  }
  const { kustomization, file } = target
  within({ file, field: 'openapi' }, () => context.schema.use(kustomization.openapi, loader))
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
