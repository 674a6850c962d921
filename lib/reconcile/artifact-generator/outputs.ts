import type { ArtifactRequest } from '../../engines/artifact-generator/path-pattern.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { ArtifactGenerator } from '../../foundations/kinds/artifact-generator.ts'
import { type ExternalArtifact, externalArtifact, generatorOf } from '../../foundations/kinds/external-artifact.ts'
import { type Condition, refKey, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { conditionOf, timestamp } from '../../foundations/rules/conditions.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { deleteArtifacts } from '../source-artifact/artifact-storage.ts'
import type { Context } from './context.ts'
import { controllerName } from './output-writer.ts'

/** On each ExternalArtifact: the UID of its generator. */
const generatorLabel = 'source.extensions.fluxcd.io/generator'

const apiVersion = 'source.toolkit.fluxcd.io/v1'
const outputKind = { group: externalArtifact.group, kind: externalArtifact.kind }

/** The ExternalArtifact of a generator with this name, as it is in the hub; before it is there, without spec and status. */
export const readOutput = async (
  generator: ArtifactGenerator,
  name: string,
  { references }: Pick<Context, 'references'>,
): Promise<ExternalArtifact> =>
  (await references.local<ExternalArtifact>(generator, outputKind, name)) ?? {
    ...{ apiVersion, kind: externalArtifact.kind },
    metadata: { name, namespace: generator.metadata.namespace! },
  }

/** All ExternalArtifacts that a generator has made and that are still there. A visit reads those of a namespace once. */
export const outputsOf = async (
  generator: ArtifactGenerator,
  { references }: Pick<Context, 'references'>,
  { dryRun }: Pick<Pass<ArtifactGenerator>, 'dryRun'>,
): Promise<readonly ExternalArtifact[]> => {
  const { namespace, uid } = generator.metadata
  const list = (selector: string) => references.localList<ExternalArtifact>(generator, outputKind, selector)
  if (!dryRun) return list(`${generatorLabel}=${uid}`)
  const all = await dryRun.once(`generated artifacts ${namespace}`, () => list(generatorLabel))
  return all.filter(({ metadata }) => metadata.labels?.[generatorLabel] === uid)
}

/** Why an ExternalArtifact may not be written: another controller, another generator or a user has created it. */
export const refusalOf = (generator: ArtifactGenerator, output: ExternalArtifact): string | undefined => {
  if (output.metadata.uid === undefined || isOwn(generator, output)) return undefined
  const { kind, name } = output.spec?.sourceRef ?? {}
  const { namespace, name: own } = output.metadata
  const owner = kind === undefined ? 'no ArtifactGenerator' : `${kind}/${name}`
  return `ExternalArtifact/${namespace}/${own} exists and belongs to ${owner}: rename the artifact, or delete that object`
}

const isOwn = (generator: ArtifactGenerator, output: ExternalArtifact): boolean => {
  const owner = generatorOf(output)
  return owner !== undefined && refKey(owner) === refKey(refOf(generator))
}

/** Creates or changes the ExternalArtifact, if that is not as it should be. */
export const publish = async (
  generator: ArtifactGenerator,
  request: ArtifactRequest,
  artifact: Artifact,
  { outputs, clock }: Context,
): Promise<void> => {
  const { labels, annotations } = generator.spec.commonMetadata ?? {}
  const { namespace = '', name, uid = '' } = generator.metadata
  const object = { apiVersion, kind: externalArtifact.kind, metadata: { namespace, name: request.name } }
  const own = { 'app.kubernetes.io/managed-by': controllerName, [generatorLabel]: uid }
  const applied = await outputs.apply({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, ...request.labels, ...own },
      ...(annotations && Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: { sourceRef: { apiVersion: generator.apiVersion, kind: generator.kind, name, namespace } },
  })
  const status = { artifact, conditions: [readyOf(applied, clock.now())] }
  if (!isSameJson(applied.status, status)) await outputs.applyStatus({ ...object, status })
}

const readyOf = ({ metadata, status }: ExternalArtifact, now: number): Condition => {
  const before = conditionOf(status?.conditions, 'Ready')
  return {
    ...{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Artifact is ready' },
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : timestamp(now),
    observedGeneration: metadata.generation!,
  }
}

/** Deletes ExternalArtifacts of a generator with their files; those that belong to others stay. */
export const withdraw = async (
  generator: ArtifactGenerator,
  names: Iterable<string>,
  context: Context,
): Promise<void> => {
  for (const name of names) {
    const output = await readOutput(generator, name, context)
    if (refusalOf(generator, output) !== undefined) continue
    if (output.metadata.uid !== undefined) await context.outputs.delete(refOf(output), output.metadata.uid)
    await deleteArtifacts(output, context.artifacts)
  }
}
