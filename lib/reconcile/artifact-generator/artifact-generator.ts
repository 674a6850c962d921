import { problemOfSpec } from '../../engines/artifact-generator/check-spec.ts'
import { type Entry, entriesOf, type Files } from '../../engines/artifact-generator/files.ts'
import {
  type ArtifactRequest,
  artifactRequests,
  InvalidPathPattern,
} from '../../engines/artifact-generator/path-pattern.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import {
  type ArtifactGenerator,
  type GeneratedArtifact,
  namespaceOfSource,
} from '../../foundations/kinds/artifact-generator.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { isDisabled } from '../../foundations/kinds/flux-operator.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { type Halt, isMistake, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, NewEvent, Outcome, Pass, Reconciler, Resting } from '../runtime/reconciler.ts'
import { collectGarbage } from '../source-artifact/artifact-storage.ts'
import { endDryRun } from '../source-artifact/outcomes.ts'
import { unpackedArtifacts } from '../source-artifact/unpacked.ts'
import { artifactGeneratorAddress, intervalMs } from './artifact-generator-address.ts'
import type { Context, GeneratorPorts, GeneratorSettings } from './context.ts'
import { detectDrift } from './detect-drift.ts'
import { failed, stalled } from './halts.ts'
import { makeArtifact } from './make-artifact.ts'
import { digestOfSources, fetchSources, type ObservedSources, observeSources } from './observe-sources.ts'
import { controllerName } from './output-writer.ts'
import { outputsOf, publish, readOutput, refusalOf, withdraw } from './outputs.ts'

const inProgress = 'Reconciliation in progress'

/** Puts artifacts together from the files of sources, as source-watcher does, and publishes each as an ExternalArtifact. */
export const artifactGeneratorReconciler = (
  ports: GeneratorPorts,
  settings: GeneratorSettings,
): Reconciler<ArtifactGenerator> => {
  const context: Context = { ...ports, settings, readSource: unpackedArtifacts(ports, tree => tree) }
  return {
    ...artifactGeneratorAddress,
    manager: controllerName,
    finalizer: 'source.extensions.fluxcd.io/finalizer',
    observesGeneration: false,
    intervalOf: () => intervalMs,
    passTimeoutOf: () => 10 * 60_000,
    reconcile: (generator, pass) => attempt(generator, pass, forPass(pass, context)).catch(outcomeOfHalt),
    finalize: async generator => {
      await withdraw(generator, await namesMade(generator, context), context)
      return undefined
    },
  }
}

const forPass = ({ dryRun }: Pass<ArtifactGenerator>, context: Context): Context =>
  dryRun ? { ...context, references: dryRun.references(context.references) } : context

const attempt = async (
  generator: ArtifactGenerator,
  pass: Pass<ArtifactGenerator>,
  context: Context,
): Promise<Outcome<ArtifactGenerator>> => {
  if (isDisabled(generator)) return disabled(pass)
  if (!conditionOf(generator.status?.conditions, 'Ready')) await pass.progress(inProgress, { fleeting: true })
  requireValid(generator, context.settings)
  const sources = await observeSources(generator, context)
  const observedSourcesDigest = digestOfSources(sources)
  const drift = await detectDrift(generator, observedSourcesDigest, pass, context)
  if (!drift) return upToDate(generator, pass)
  endDryRun(pass, drift)
  await pass.progress(inProgress, { fleeting: true })
  const inventory = await makeAll(generator, sources, pass, context)
  const message = `reconciliation succeeded, generated ${inventory.length} artifact(s)`
  pass.event(trace(message))
  reportChanged(generator, inventory, pass)
  return {
    type: 'done',
    reason: 'Succeeded',
    message,
    status: { inventory: inventory.length > 0 ? inventory : null, observedSourcesDigest },
  }
}

const disabled = (pass: Pass<ArtifactGenerator>): Resting<ArtifactGenerator> => {
  const reason = 'ReconciliationDisabled'
  pass.event({ severity: 'info', reason, message: 'Reconciliation is disabled', quiet: true })
  return { type: 'resting', reason, message: 'Initialized with reconciliation suspended' }
}

const requireValid = (generator: ArtifactGenerator, { noCrossNamespaceRefs }: GeneratorSettings): void => {
  const { metadata, spec } = generator
  for (const source of spec.sources) {
    const namespace = namespaceOfSource(generator, source)
    if (noCrossNamespaceRefs && namespace !== metadata.namespace) {
      const reference = `${source.kind}/${namespace}/${source.name}`
      throw stalled('AccessDenied', `cross-namespace reference to source ${reference} is not allowed`)
    }
  }
  const problem = problemOfSpec(spec)
  if (problem !== undefined) throw stalled('ValidationFailed', problem)
}

/** Says so if the pass was requested: others write nothing. */
const upToDate = (generator: ArtifactGenerator, pass: Pass<ArtifactGenerator>): Done<ArtifactGenerator> => {
  const { conditions, inventory = [] } = generator.status!
  const isRequested = isReconcileRequested(generator)
  if (isRequested) pass.event(trace(`No drift detected, ${inventory.length} artifact(s) up to date`))
  const { reason, message } = conditionOf(conditions, 'Ready')!
  return { type: 'done', reason, message, routine: !isRequested }
}

/** Makes and publishes all artifacts, and then deletes those that are no longer wanted. */
const makeAll = async (
  generator: ArtifactGenerator,
  sources: ObservedSources,
  pass: Pass<ArtifactGenerator>,
  context: Context,
): Promise<readonly GeneratedArtifact[]> => {
  const trees = await fetchSources(sources, context, pass.signal)
  const files = { trees, entriesOf: remembered(entriesOf) }
  const inventory: GeneratedArtifact[] = []
  for (const request of requestsOf(generator, trees)) {
    pass.signal.throwIfAborted()
    const output = await readOutput(generator, request.name, context)
    const refusal = refusalOf(generator, output)
    if (refusal !== undefined) throw reconcileFailed(request, new Error(refusal))
    const artifact = await makeArtifact(request, output, sources, files, context)
    await publish(generator, request, artifact, context).catch((error: unknown) => {
      if (isMistake(error)) throw error
      throw reconcileFailed(request, error)
    })
    const item = itemOf(output.metadata.namespace!, request.name, artifact)
    if (!isIn(generator, item)) {
      pass.event(trace(`${output.kind}/${item.namespace}/${item.name} reconciled with revision ${artifact.revision}`))
      await collectGarbage(output, artifact, context, context.settings).catch(() => 0)
    }
    inventory.push(item)
  }
  const wanted = new Set(inventory.map(({ name }) => name))
  const unwanted = (await namesMade(generator, context)).filter(name => !wanted.has(name))
  await withdraw(generator, unwanted, context)
  return inventory
}

/** Computes each result once. */
const remembered = (compute: (files: Files) => readonly Entry[]) => {
  const known = new Map<Files, readonly Entry[]>()
  return (files: Files): readonly Entry[] => {
    const entries = known.get(files) ?? compute(files)
    known.set(files, entries)
    return entries
  }
}

const requestsOf = (generator: ArtifactGenerator, trees: ReadonlyMap<string, Files>): readonly ArtifactRequest[] => {
  const { spec, status } = generator
  const requests = inPattern(() => artifactRequests(spec, trees))
  const present = status?.inventory?.length ?? 0
  // source-watcher deletes them all, and with them what is applied from them.
  if (requests.length === 0 && present > 0)
    throw stalled(
      'BuildFailed',
      `failed to expand path pattern: pathPattern ${JSON.stringify(spec.pathPattern)} matches no directory: the ${present} artifact(s) of an earlier revision are kept; delete the ArtifactGenerator to delete them`,
    )
  return requests
}

const inPattern = <T>(run: () => T): T => {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof InvalidPathPattern)) throw error
    throw stalled('BuildFailed', `failed to expand path pattern: ${error.message}`)
  }
}

const reconcileFailed = ({ name }: ArtifactRequest, error: unknown): Halt<never> =>
  failed('ReconciliationFailed', `${name} reconcile failed: ${errorMessage(error)}`, error)

/** What a generator has made: by its inventory, and what a pass that was interrupted left. */
const namesMade = async (generator: ArtifactGenerator, context: Context): Promise<readonly string[]> => {
  const { namespace } = generator.metadata
  const listed = (generator.status?.inventory ?? []).filter(item => item.namespace === namespace)
  const found = await outputsOf(generator, context, {})
  return [...new Set([...listed.map(({ name }) => name), ...found.map(({ metadata }) => metadata.name)])]
}

const itemOf = (namespace: string, name: string, { digest, path }: Artifact): GeneratedArtifact => ({
  ...{ name, namespace, digest },
  filename: path.slice(path.lastIndexOf('/') + 1),
})

const isIn = ({ status }: ArtifactGenerator, { name, namespace, digest }: GeneratedArtifact): boolean =>
  status?.inventory?.some(item => item.name === name && item.namespace === namespace && item.digest === digest) ?? false

const reportChanged = (
  generator: ArtifactGenerator,
  inventory: readonly GeneratedArtifact[],
  pass: Pass<ArtifactGenerator>,
): void => {
  const changed = inventory.filter(item => !isIn(generator, item))
  if (changed.length === 0) return
  const lines = changed.map(({ namespace, name, digest }) => `${namespace}/${name} (${digest})`)
  pass.event({ severity: 'info', reason: 'Ready', message: `external artifacts reconciled: ${lines.join('\n')}` })
}

const trace = (message: string): NewEvent => ({ severity: 'info', reason: 'Ready', message, quiet: true })
