import { humanDuration } from '../kinds/human-duration.ts'
import { imageText } from '../kinds/image-fields.ts'
import type { ImagePolicy } from '../kinds/image-policy.ts'
import { type ImageRepository, imageRepository } from '../kinds/image-repository.ts'
import type { ImageUpdateAutomation } from '../kinds/image-update-automation.ts'
import type { KubernetesObject } from '../kinds/object.ts'

/** What the image kinds have found, chosen and pushed, by name; none for other kinds. `now` in milliseconds since the epoch. */
export const imageDetails = (
  object: KubernetesObject,
  now: number,
): readonly (readonly [name: string, text: string])[] => {
  if (!object.apiVersion.startsWith(`${imageRepository.group}/`)) return []
  const ago = (time: string) => `${humanDuration(Math.max(0, now - Date.parse(time)))} ago (${time})`
  const { lastScanResult: scan } = (object as ImageRepository).status ?? {}
  const { latestRef, observedPreviousRef: previous } = (object as ImagePolicy).status ?? {}
  const { lastPushCommit: commit, lastPushTime } = (object as ImageUpdateAutomation).status ?? {}
  const details: readonly (readonly [string, string | undefined])[] = [
    ['scanned', scan?.scanTime && `${ago(scan.scanTime)}, ${scan.tagCount} tags`],
    ['image', latestRef && `${imageText(latestRef)}${previous ? `, before it ${imageText(previous)}` : ''}`],
    ['pushed', commit && `${commit}${lastPushTime ? `, ${ago(lastPushTime)}` : ''}`],
  ]
  return details.flatMap(([name, text]) => (text ? [[name, text] as const] : []))
}
