import { type AnnouncedVersion, announcedOf } from '../../foundations/kinds/announced-version.ts'
import { followedBy } from '../../foundations/kinds/followed-version.ts'
import type { Source } from './source.ts'

/** A server that has not heard of a push by then never will: the branch or tag stands for what the server says. */
const believedMs = 5 * 60_000

/** What was announced to a source not long ago, of the very branch or tag that it follows. */
export const announcementFor = (source: Source, now: number): AnnouncedVersion | undefined => {
  const announced = announcedOf(source)
  if (!announced || announced.version !== followedBy(source)?.version) return undefined
  return now - announced.at < believedMs ? announced : undefined
}

/**
 * Whether a server still says what was there before a push that it should know of: a replica may answer that lags behind. Then the
 * source stays where it is, and the server is asked again. An announcement moves a source nowhere by itself: anybody may have sent it,
 * late or twice, so that only what the branch or tag stands for is ever taken.
 */
export const isBehind = (said: string, announced: AnnouncedVersion | undefined): announced is AnnouncedVersion =>
  announced !== undefined && said !== announced.to && said === announced.from

/** Milliseconds until a server that is behind is asked again: as long as it has been behind, from a second to a minute. */
export const askAgainAfter = ({ at }: AnnouncedVersion, now: number): number =>
  Math.min(60_000, Math.max(1_000, now - at))
