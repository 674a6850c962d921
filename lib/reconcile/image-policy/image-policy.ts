import { InvalidPolicy } from '../../engines/image-policy/invalid-policy.ts'
import { latestTag } from '../../engines/image-policy/latest-tag.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { type ImageRef, imageText, isSameImage } from '../../foundations/kinds/image-fields.ts'
import { type ImagePolicy, intervalOf } from '../../foundations/kinds/image-policy.ts'
import { type ImageRepository, imageRepository } from '../../foundations/kinds/image-repository.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { NotOnAccessList, requireOnAccessList } from '../../hub/references/access-control-list.ts'
import { AccessDenied, type CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import { requireImage } from '../image-repository/require-image.ts'
import type { TagLists } from '../image-repository/tag-lists.ts'
import { Halt, isMistake, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { FeatureGateDisabled } from '../source-artifact/cloud-access-of.ts'
import { imagePolicyAddress } from './image-policy-address.ts'
import { type DigestPorts, latestRefOf } from './latest-ref.ts'

export interface ImagePolicyPorts extends DigestPorts {
  readonly tags: Pick<TagLists, 'read'>
}

export interface ImagePolicySettings extends CrossNamespaceSettings {
  readonly requeueDependencyMs: number
}

type Policy = ImagePolicy

/** Chooses the latest tags of images, as image-reflector-controller does. */
export const imagePolicyReconciler = (ports: ImagePolicyPorts, settings: ImagePolicySettings): Reconciler<Policy> => ({
  ...imagePolicyAddress,
  manager: 'image-reflector-controller',
  intervalOf,
  passTimeoutOf: () => 5 * 60_000,
  reconcile: (policy, pass) => attempt(policy, pass, ports, settings).catch(outcomeOfHalt),
  finalize: async () => undefined,
})

const attempt = async (
  policy: Policy,
  pass: Pass<Policy>,
  ports: ImagePolicyPorts,
  settings: ImagePolicySettings,
): Promise<Done<Policy>> => {
  await pass.open()
  const repository = await requireRepository(policy, ports, settings)
  const image = requireImage(repository)
  const tag = await chooseTag(policy, repository, ports, settings)
  const latestRef = await latestRefOf(policy, { repository, image, tag }, ports, pass.signal).catch(digestFailed(pass))
  return done(policy, pass, latestRef)
}

const failed = (reason: string, message: string, cause?: unknown) =>
  new Halt({ type: 'failed', reason, message, cause })

const requireRepository = async (
  policy: Policy,
  { references }: ImagePolicyPorts,
  settings: ImagePolicySettings,
): Promise<ImageRepository> => {
  const { name, namespace } = policy.spec.imageRepositoryRef
  const place = { namespace: namespace || namespaceOf(policy), name }
  const what = 'failed to get the referred ImageRepository'
  const denied = (why: string) => failed('AccessDenied', `${what}: ${why}`)
  const found = await references
    .anywhere<ImageRepository>(policy, imageRepository, place, settings)
    .catch((error: unknown) => {
      if (!(error instanceof AccessDenied)) throw error
      const path = `${place.namespace}/${name}`
      throw denied(`cannot access 'ImageRepository/${path}', cross-namespace references have been blocked`)
    })
  if (!found) {
    const missing = `ImageRepository.image.toolkit.fluxcd.io "${name}" not found`
    throw failed('DependencyNotReady', `${what}: referenced ImageRepository does not exist: ${missing}`)
  }
  await requireOnAccessList(policy, place, found.spec.accessFrom, references).catch((error: unknown) => {
    throw error instanceof NotOnAccessList ? denied(`access denied: ${error.message}`) : error
  })
  return found
}

const chooseTag = async (
  { spec }: Policy,
  repository: ImageRepository,
  { tags }: ImagePolicyPorts,
  { requeueDependencyMs: afterMs }: ImagePolicySettings,
): Promise<string> => {
  const stored = await tags.read(repository)
  try {
    if (stored.length > 0) return latestTag(spec.policy, spec.filterTags, stored)
    // An invalid policy is reported even so.
    latestTag(spec.policy, undefined, ['0.0.0'])
  } catch (error) {
    if (isMistake(error)) throw error
    const message = errorMessage(error)
    if (error instanceof InvalidPolicy) throw new Halt({ type: 'stalled', reason: 'InvalidPolicy', message })
    if (stored.length > 0) throw failed('Failure', message, error)
  }
  const message = `retrying in ${formatDuration(afterMs)} error: no tags in database`
  throw new Halt({ type: 'failed', reason: 'DependencyNotReady', message, afterMs, isWait: true })
}

const digestFailed =
  (pass: Pass<Policy>) =>
  (error: unknown): never => {
    pass.signal.throwIfAborted()
    if (error instanceof FeatureGateDisabled) {
      const message = error.message.replace('spec.serviceAccountName', '$& in the ImageRepository')
      throw new Halt({ type: 'stalled', reason: 'FeatureGateDisabled', message })
    }
    if (isMistake(error)) throw error
    throw failed('Failed', errorMessage(error), error)
  }

const done = (policy: Policy, pass: Pass<Policy>, latestRef: ImageRef): Done<Policy> => {
  const { latestRef: before, observedPreviousRef } = policy.status ?? {}
  const isSame = isSameImage(latestRef, before)
  const previous = isSame ? observedPreviousRef : before
  const message = readyMessage(latestRef, previous)
  const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready')
  const isReported = ready?.status === 'True' && ready.message === message
  const event = { severity: 'info', reason: 'Succeeded', message } as const
  if (!isReported) pass.event(event)
  else if (isReconcileRequested(policy)) pass.event({ ...event, quiet: true })
  return {
    type: 'done',
    reason: 'Succeeded',
    message,
    status: { latestRef, observedPreviousRef: previous ?? null },
    ...(!isSame && { triggersDependents: 'artifact' }),
  }
}

const readyMessage = (latest: ImageRef, previous: ImageRef | undefined): string => {
  const digest = latest.digest ? ` with digest ${latest.digest}` : ''
  const before = previous && !isSameImage(latest, previous) ? ` (previously ${imageText(previous)})` : ''
  return `Latest image tag for ${latest.name} resolved to ${latest.tag}${digest}${before}`
}
