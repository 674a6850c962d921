import { announcedTagsOf } from '../../foundations/kinds/announced-tags.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { exclusionListOf, type ImageRepository, intervalOf } from '../../foundations/kinds/image-repository.ts'

/**
 * Why a repository is scanned now, in the words of image-reflector-controller; or for how many milliseconds it need not be, and which tags were
 * announced since.
 */
export type ScanDecision =
  | { readonly because: string }
  | { readonly againInMs: number; readonly announced?: readonly string[] | undefined }

interface Facts {
  /** Name of the image now. */
  readonly canonicalName: string
  readonly now: number
  /** When a visit last scanned it, in milliseconds since the epoch: visits write nothing if they find nothing new. */
  visitedAt(): Promise<number | undefined>
  /** Whether the tags of the last scan are stored. */
  hasTags(): Promise<boolean>
}

/**
 * Decides on a scan at `now` (milliseconds since the epoch), with the reasons and in the order of
 * image-reflector-controller.
 */
export const decideScan = async (
  object: ImageRepository,
  { canonicalName, now, visitedAt, hasTags }: Facts,
): Promise<ScanDecision> => {
  const { lastScanResult, canonicalImageName, observedExclusionList = [] } = object.status ?? {}
  if (!lastScanResult) return { because: 'first scan' }
  const announced = announcedTagsOf(object)
  if (isReconcileRequested(object) && !announced) return { because: 'reconcile requested' }
  if (canonicalName !== canonicalImageName) return { because: 'new image name' }
  if (!hasSameItems(exclusionListOf(object), observedExclusionList)) return { because: 'updated exclusion list' }
  const intervalMs = intervalOf(object)
  const scannedAt = Date.parse(lastScanResult.scanTime ?? '')
  const againInMs = intervalMs - (now - (announced ? Math.max(scannedAt, (await visitedAt()) ?? 0) : scannedAt))
  // A pass in the second half of the interval is that of the interval: jitter brings it forward, and so do the others of its visit.
  // Also if the time can't be read, or is in the future because a clock was wrong.
  const atLeastMs = announced ? 0 : intervalMs / 2
  if (!(againInMs > atLeastMs && againInMs <= intervalMs)) return { because: 'triggered by interval' }
  return (await hasTags()) ? { againInMs, announced } : { because: emptyDatabase }
}

/** The reason to scan when the list of tags is lost. */
export const emptyDatabase = 'no tags in database'

const hasSameItems = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every(item => b.includes(item))
