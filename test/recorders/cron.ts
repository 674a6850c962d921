/**
 * Records when robfig/cron runs next, around the changes of clocks of many zones, on leap days and anywhere else, in
 * `test/unit/foundations/calendar`: `node test/recorders/cron.ts`.
 */
import { writeFileSync } from 'node:fs'
import { askCronOracle } from '../bed/cron-oracle.ts'

/** Northern and southern; changes at midnight, at noon UTC, by half an hour, backwards (Dublin), and none. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'America/St_Johns',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Apia',
]

const schedules = [
  '* * * * *',
  '*/20 * * * *',
  '30 2 * * *',
  '30 1 * * *',
  '15 0 * * *',
  '@daily',
  '@hourly',
  '0 0-3 * * *',
  '45 23 * * 6',
  '0 3 * * SUN',
  '0 12 29 2 *',
  '0 0 31 * *',
  '5 4 1 */3 MON-WED',
  '0 22 24-26 DEC ?',
  '0 0 31 2 *',
  '59 23 31 12 *',
]

const [hour, day] = [3_600_000, 86_400_000]
const [begin, end] = [Date.UTC(2026, 0, 1), Date.UTC(2029, 0, 1)]

const offsetOf = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  return (ms: number) => format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')!.value
}

/** The hours in which a zone changes its clocks. */
const changesOf = (zone: string): readonly number[] => {
  const offset = offsetOf(zone)
  const days = Array.from({ length: (end - begin) / day }, (_, index) => begin + index * day)
  const changing = days.filter(at => offset(at) !== offset(at + day))
  return changing.map(at => {
    let found = at
    while (offset(found) === offset(found + hour)) found += hour
    return found
  })
}

const around = [-26 * hour, -3 * hour, -hour, -1, 0, 1_800_000, hour, 2 * hour, 5 * hour, 23 * hour]
const anywhere = ['2026-06-15T10:07:30Z', '2027-02-28T23:59:59.999Z', '2028-02-28T12:00:00Z', '2028-12-31T23:59:00Z']

const questions = zones.flatMap(zone => {
  const changes = changesOf(zone).slice(0, 4)
  const moments = [...changes.flatMap(change => around.map(ms => change + ms)), ...anywhere.map(Date.parse)]
  return moments.flatMap((after, at) =>
    // Not each with each: every schedule meets every sort of moment in some zone.
    schedules.filter((_, index) => (index + at) % 3 === 0).map(schedule => ({ schedule, zone, after, times: 3 })),
  )
})
const answers = await askCronOracle(questions)
const rows = questions.map(({ schedule, zone, after }, at) => [schedule, zone, after, ...answers[at]!])
writeFileSync(
  new URL('../unit/foundations/calendar/cron.recorded.json', import.meta.url),
  `[\n${rows.map(row => ` ${JSON.stringify(row)}`).join(',\n')}\n]\n`,
)
