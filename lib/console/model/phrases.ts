/** Sentences and times as the console writes them. Pure. */
import type { CauseSummary, FleetSummary } from '../../foundations/fleet/fleet-summary.ts'

const number = new Intl.NumberFormat('en')

/** `2,041`. */
export const count = (many: number): string => number.format(many)

/** `1 unit`, `2,041 units`. */
export const counted = (many: number, one: string, several = `${one}s`): string =>
  `${count(many)} ${many === 1 ? one : several}`

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `40 s`, `23 min`, `3 days`: one figure and its unit. */
export const span = (ms: number): string => {
  const positive = Math.max(0, ms)
  if (positive < minute) return `${Math.floor(positive / second)} s`
  if (positive < hour) return `${Math.floor(positive / minute)} min`
  if (positive < day) return `${Math.floor(positive / hour)} h`
  const days = Math.floor(positive / day)
  return `${days} ${days === 1 ? 'day' : 'days'}`
}

/** `4 min ago` or `in 5 h`: relative under a day, absolute and in the viewer's zone beyond. */
export const timeText = (time: string, now: number): string => {
  const ms = Date.parse(time)
  if (Number.isNaN(ms)) return time
  if (Math.abs(now - ms) >= day) return shortDate.format(ms)
  return ms > now + second ? `in ${span(ms - now)}` : `${span(now - ms)} ago`
}

const shortDate = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const exactClock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })

/** `10:02`, or `27 Nov, 10:02` when that was another day than `now`. */
export const clockTime = (ms: number, now: number): string =>
  new Date(ms).toDateString() === new Date(now).toDateString() ? clock.format(ms) : shortDate.format(ms)

/** `10:02:31`. */
export const exactTime = (time: string): string => exactClock.format(Date.parse(time))

/** With seconds and zone, for a hover. */
export const fullTime = (time: string): string => {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? time : full.format(ms)
}

/** The first line of the fleet's page. */
export const fleetSentence = ({ units, clusters, causes, moreCauses }: FleetSummary): string => {
  if (units.total === 0 && clusters.total === 0) return 'Nothing is deployed yet'
  const failing = units.failed + units.stalled
  const errors = causes.filter(({ severity }) => severity === 'error').length + moreCauses
  if (failing > 0)
    return `${count(failing)} of ${counted(units.total, 'unit')} ${failing === 1 ? 'is' : 'are'} failing, for ${counted(errors, 'reason')}`
  if (errors > 0) return `${counted(units.total, 'unit')}, none failing, but ${counted(errors, 'fault')} to mend`
  const rest = [
    ...(units.progressing > 0 ? [`${count(units.progressing)} in progress`] : []),
    ...(units.suspended > 0 ? [`${count(units.suspended)} suspended`] : []),
  ].join(', ')
  if (units.ready === units.total) return `All ${counted(units.total, 'unit')} are as their sources say`
  return `Nothing fails: ${count(units.ready)} of ${counted(units.total, 'unit')} ready, ${rest}`
}

/** The second line: how far it reaches. */
export const fleetReach = ({ clusters, causes }: FleetSummary): string => {
  const felt = new Set(causes.filter(({ severity }) => severity === 'error').flatMap(({ clusters }) => clusters.names))
  if (clusters.total === 0) return 'No clusters: units apply to the hub itself.'
  if (felt.size === 0) return `On ${counted(clusters.total, 'cluster')}.`
  if (felt.size >= clusters.total)
    return clusters.total === 1 ? 'On the only cluster.' : `On all ${count(clusters.total)} clusters.`
  return `On ${count(felt.size)} of ${counted(clusters.total, 'cluster')}. The others are not affected.`
}

/** What a cause holds up, besides the object that it names. */
export const heldUp = ({ object, units, clusters }: CauseSummary): string => {
  const others = units.names.includes(object) ? units.total - 1 : units.total
  const onClusters = clusters.total > 1 ? ` on ${counted(clusters.total, 'cluster')}` : ''
  if (others === 0) return onClusters.trim()
  if (units.names.includes(object)) return `${counted(others, 'more unit')}${onClusters}`
  return `${counted(others, 'unit')}${onClusters} ${others === 1 ? 'waits' : 'wait'} for it`
}

/** `main@3f9c2e1` for a revision with a digest. */
export const revisionText = (revision: string | undefined): string => {
  const text = (revision ?? '').replace(/(^|@)(?:sha\d+:)([0-9a-f]{7})[0-9a-f]+$/, '$1$2')
  return text.length <= maxRevision ? text : `${text.slice(0, maxRevision - 1)}…`
}

const maxRevision = 28

/** As kubectl has it: `-n apps`, or `-A` for all. */
export const namespaceFlag = (namespace: string | undefined): string => (namespace ? `-n ${namespace}` : '-A')

/** The first sentence or line, for a table. */
export const firstLine = (text: string): string => text.trim().split('\n')[0] ?? ''
