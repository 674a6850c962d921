import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { exclusionListOf, type ImageRepository, intervalOf } from '../../foundations/kinds/image-repository.ts'

/** Why a repository is scanned now, in the words of image-reflector-controller; or for how many milliseconds it need not be. */
export type ScanDecision = { readonly because: string } | { readonly againInMs: number }

interface Facts {
  /** Name of the image now. */
  readonly canonicalName: string
  readonly now: number
  /** Whether the tags of the last scan are stored. */
  hasTags(): Promise<boolean>
}

export const decideScan = async (
  object: ImageRepository,
  { canonicalName, now, hasTags }: Facts,
): Promise<ScanDecision> => {
  const { lastScanResult, canonicalImageName, observedExclusionList = [] } = object.status ?? {}
  if (!lastScanResult) return { because: 'first scan' }
  if (isReconcileRequested(object)) return { because: 'reconcile requested' }
  if (canonicalName !== canonicalImageName) return { because: 'new image name' }
  if (!hasSameItems(exclusionListOf(object), observedExclusionList)) return { because: 'updated exclusion list' }
  const intervalMs = intervalOf(object)
  const againInMs = intervalMs - (now - Date.parse(lastScanResult.scanTime ?? ''))
  // A pass in the second half of the interval is that of the interval: jitter brings it forward, and so do the others of its visit.
  // Also if the time can't be read, or is in the future because a clock was wrong.
  if (!(againInMs > intervalMs / 2 && againInMs <= intervalMs)) return { because: 'triggered by interval' }
  return (await hasTags()) ? { againInMs } : { because: emptyDatabase }
}

/** The reason to scan when the list of tags is lost. */
export const emptyDatabase = 'no tags in database'

const hasSameItems = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every(item => b.includes(item))
