import { type AnnouncedVersion, announcedOf } from '../../foundations/kinds/announced-version.ts'
import { followedBy } from '../../foundations/kinds/followed-version.ts'
import type { Source } from './source.ts'

/** If a server does not have the announced version by then, the announcement is ignored. */
const announcementTtlMs = 5 * 60_000

/** A recent announcement of a new version of the branch or tag that a source follows. */
export const announcementFor = (source: Source, now: number): AnnouncedVersion | undefined => {
  const announced = announcedOf(source)
  if (!announced || announced.version !== followedBy(source)?.version) return undefined
  return now - announced.at < announcementTtlMs ? announced : undefined
}

/**
 * Whether a server still returns the version from before an announced push, as a lagging replica may. The source is
 * then checked again later. An announcement alone never changes a source: it may be forged, late or duplicated, so only
 * the server's response is used.
 */
export const isBehind = (found: string, announced: AnnouncedVersion | undefined): announced is AnnouncedVersion =>
  announced !== undefined && found !== announced.to && found === announced.from

/**
 * Milliseconds until a server that lags behind is checked again: as long as it has lagged so far, from a second to a
 * minute.
 */
export const retryDelayMs = ({ at }: AnnouncedVersion, now: number): number =>
  Math.min(60_000, Math.max(1_000, now - at))
