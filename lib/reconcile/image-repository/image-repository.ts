import { formatDuration } from '../../foundations/kinds/duration.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import {
  exclusionListOf,
  type ImageRepository,
  intervalOf,
  type ScanResult,
  timeoutOf,
} from '../../foundations/kinds/image-repository.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { nameOf } from '../../sources/oci/image-name.ts'
import { OciError } from '../../sources/oci/oci-error.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import { Halt, isMistake, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { FeatureGateDisabled } from '../source-artifact/cloud-access-of.ts'
import { isCheckDue } from '../source-artifact/store-checks.ts'
import { imageRepositoryAddress } from './image-repository-address.ts'
import { listTags, type RegistryAccess, withAnnounced } from './list-tags.ts'
import { ImageAccessFailed, type ImageAccessPorts, loadImageAccess } from './load-image-access.ts'
import { requireImage } from './require-image.ts'
import { decideScan, emptyDatabase } from './scan-reason.ts'
import { type ShareResponse, sharedResponses } from './shared-responses.ts'
import { resultOf, type TagLists } from './tag-lists.ts'

export interface ImageRepositoryPorts extends ImageAccessPorts {
  readonly tags: TagLists
  readonly oci: RegistryAccess['oci']
  readonly clock: Clock
  /** When visits last scanned it, in milliseconds since the epoch. */
  readonly visitedAt: (repository: ImageRepository) => Promise<number | undefined>
}

export interface ImageRepositorySettings {
  /** How often dry runs check that the list of tags is stored, in milliseconds: each time if absent. */
  readonly checkEveryMs?: number
}

type Repository = ImageRepository

/** Lists the tags of images, as image-reflector-controller does. */
export const imageRepositoryReconciler = (
  given: ImageRepositoryPorts,
  settings: ImageRepositorySettings = {},
): Reconciler<Repository> => {
  const ports = { ...given, share: sharedResponses(given.clock) }
  return {
    ...imageRepositoryAddress,
    manager: 'image-reflector-controller',
    intervalOf,
    passTimeoutOf: object => timeoutOf(object) + 30_000,
    reconcile: (object, pass) => attempt(object, pass, contextOf(pass, ports, settings)).catch(outcomeOfHalt),
    finalize: async object => {
      await ports.tags.delete(object)
      return undefined
    },
  }
}

type Ports = ImageRepositoryPorts & { readonly share: ShareResponse }
type Context = Ports & ImageRepositorySettings

/** A dry run shares its reads with others. */
const contextOf = ({ dryRun }: Pass<Repository>, ports: Ports, settings: ImageRepositorySettings): Context => ({
  ...ports,
  ...settings,
  ...(dryRun && { references: dryRun.references(ports.references) }),
})

const attempt = async (object: Repository, pass: Pass<Repository>, ports: Context) => {
  await pass.open()
  const image = requireImage(object)
  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(object))])
  const access = await loadImageAccess(object, image, ports, signal).catch(accessFailed)
  const readAt = ports.clock.now()
  const decision = await decideScan(object, {
    canonicalName: nameOf(image),
    now: readAt,
    visitedAt: () => ports.visitedAt(object),
    hasTags: async () => (await ports.tags.read(object)).length > 0,
  })
  const scanner = { ...ports, access, signal, readAt }
  if ('because' in decision) return scanNow(object, pass, decision.because, scanner)
  if (!decision.announced) return notYet(object, pass, decision.againInMs)
  const found = await withAnnounced(object, decision.announced, scanner)
  return found
    ? tagsAdded(object, pass, found, { readAt, againInMs: decision.againInMs })
    : scanNow(object, pass, 'reconcile requested', scanner)
}

/** A pass with its access to the registry. */
type Scanner = Context & RegistryAccess

const scanNow = async (object: Repository, pass: Pass<Repository>, because: string, scanner: Scanner) => {
  await noticeScan(pass, because)
  const scan = await scanned(object, because, pass, scanner)
  return done(object, pass, nameOf(scanner.access.repository), scan, because)
}

const accessFailed = (error: unknown): never => {
  if (error instanceof FeatureGateDisabled)
    throw new Halt({ type: 'stalled', reason: 'FeatureGateDisabled', message: error.message })
  if (!(error instanceof ImageAccessFailed)) throw error
  throw new Halt({ type: 'failed', reason: 'AuthenticationFailed', message: error.message, cause: error })
}

/** Ready keeps the result of the last scan, unless its tags are lost: then policies wait for this one. */
const noticeScan = (pass: Pass<Repository>, because: string): Promise<void> => {
  const message = `scanning: ${because}`
  if (because === emptyDatabase) return pass.progress(message)
  const reconciling = { status: 'True', reason: 'Progressing', message } as const
  return pass.update({ conditions: { Reconciling: reconciling } }, { fleeting: true })
}

const scanned = async (
  object: Repository,
  because: string,
  pass: Pass<Repository>,
  scanner: Scanner,
): Promise<ScanResult> => {
  const { tags } = scanner
  try {
    const { at, value } = await listTags(scanner, isOfMoment(because) ? 'lately' : 'now')
    const { found, revision } = resultOf(value, exclusionListOf(object))
    if (pass.dryRun) return await scannedAgain(object, { all: value, revision }, pass, scanner)
    const isSame = revision === object.status?.lastScanResult?.revision
    if (!isSame || !(await tags.has(object, value))) await tags.store(object, value)
    return { ...scanResult(found, revision), scanTime: timestamp(at) }
  } catch (error) {
    pass.signal.throwIfAborted()
    if (isMistake(error) || error instanceof WouldWrite) throw error
    const [reason, message] = ['ReadOperationFailed', `scan failed: ${errorMessage(error)}`]
    const afterMs = error instanceof OciError ? error.retryAfterMs : undefined
    throw new Halt({ type: 'failed', reason, message, cause: error, ...(afterMs !== undefined && { afterMs }) })
  }
}

/** Otherwise something has changed that an earlier response may not have. */
const isOfMoment = (because: string): boolean => ['first scan', 'triggered by interval'].includes(because)

const scanResult = (found: readonly string[], revision: string) => ({
  ...(found.length > 0 && { latestTags: found.slice(0, 10) }),
  revision,
  tagCount: found.length,
})

/**
 * The result of the last scan, if this one has found the same: no dry run writes. So the time of a scan that finds nothing new is stored every few
 * hours.
 */
const scannedAgain = async (
  object: Repository,
  { all, revision }: { readonly all: readonly string[]; readonly revision: string },
  pass: Pass<Repository>,
  { tags, clock, checkEveryMs = 0 }: Context,
): Promise<ScanResult> => {
  const last = object.status?.lastScanResult
  const intervalMs = intervalOf(object)
  const isTimeKept = clock.now() - Date.parse(last?.scanTime ?? '') < scanTimeMs
  if (last?.revision !== revision || !isTimeKept) throw new WouldWrite('a scan')
  const isChecked = isCheckDue(object, { now: pass.startedAt, intervalMs, everyMs: checkEveryMs })
  if (isChecked && !(await tags.has(object, all))) throw new WouldWrite('the list of tags')
  return last
}

/** How old `scanTime` may become while scans find nothing new, in milliseconds. */
const scanTimeMs = 6 * 60 * 60_000

const readyMessage = ({ tagCount, revision = '' }: ScanResult): string =>
  `successful scan: found ${tagCount} tags with checksum ${revision}`

const notYet = (object: Repository, pass: Pass<Repository>, afterMs: number): Done<Repository> => {
  const message = readyMessage(object.status!.lastScanResult!)
  reportScan(object, pass, message, `no change in repository configuration since last scan, ${nextScan(afterMs)}`)
  return { type: 'done', reason: 'Succeeded', message, afterMs, status: observed(object) }
}

/** The next scan is due as before: what it lists is the truth. */
const tagsAdded = (
  object: Repository,
  pass: Pass<Repository>,
  all: readonly string[],
  { readAt, againInMs }: { readonly readAt: number; readonly againInMs: number },
): Done<Repository> => {
  const { found, revision } = resultOf(all, exclusionListOf(object))
  const scannedAt = readAt - (intervalOf(object) - againInMs)
  const scan = { ...scanResult(found, revision), scanTime: timestamp(scannedAt) }
  return { ...done(object, pass, object.status!.canonicalImageName!, scan, 'announced'), afterMs: againInMs }
}

const done = (
  object: Repository,
  pass: Pass<Repository>,
  canonicalImageName: string,
  scan: ScanResult,
  because: string,
): Done<Repository> => {
  const isSame = object.status?.lastScanResult?.revision === scan.revision
  const message = readyMessage(scan)
  const found = isSame ? 'tags did not change' : 'successful scan'
  reportScan(object, pass, message, `${found}, ${nextScan(intervalOf(object))}`)
  return {
    type: 'done',
    reason: 'Succeeded',
    message,
    status: { ...observed(object), canonicalImageName, lastScanResult: scan },
    ...((!isSame || because === emptyDatabase) && { triggersDependents: 'artifact' }),
  }
}

const observed = (object: Repository) => ({ observedExclusionList: exclusionListOf(object) })

const nextScan = (afterMs: number): string => `next scan in ${formatDuration(afterMs)}`

/** An event for other tags, and for a success after failures. One that all is as before only when a pass was requested. */
const reportScan = (object: Repository, pass: Pass<Repository>, message: string, otherwise: string): void => {
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready')
  const wasReady = ready?.status === 'True' && !object.status?.conditions?.some(({ type }) => type === 'Reconciling')
  const event = { severity: 'info', reason: 'Succeeded' } as const
  if (!wasReady || ready.message !== message) pass.event({ ...event, message })
  else if (isReconcileRequested(object)) pass.event({ ...event, message: otherwise, quiet: true })
}
