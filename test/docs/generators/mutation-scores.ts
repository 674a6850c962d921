import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DatedScore, keptScores } from '../../mutation/scores.ts'
import { type Generator, withPart } from '../generator.ts'

const path = 'docs/CONTRIBUTING.md'

/** The table of docs/CONTRIBUTING.md: how many changes of each room its tests notice, by the last runs of `npm run mutate`. */
export const mutationScores: Generator = {
  name: 'mutation-scores',
  make: root => ({ [path]: withPart(readFileSync(join(root, path), 'utf8'), 'mutation-scores', table(keptScores())) }),
}

const table = (scores: Readonly<Record<string, DatedScore>>): string => {
  const rooms = Object.groupBy(Object.entries(scores), ([file]) => file.split('/')[1]!)
  const rows = Object.entries(rooms).map(([room, files]) =>
    row(
      room,
      files!.map(([, score]) => score),
    ),
  )
  return [
    '| room | files | changes | noticed | explained | open | last run |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows,
  ].join('\n')
}

const row = (room: string, scores: readonly DatedScore[]): string => {
  const [changes, noticed, explained] = (['changes', 'noticed', 'explained'] as const).map(key =>
    scores.reduce((sum, score) => sum + score[key], 0),
  ) as [number, number, number]
  const dates = [...new Set(scores.map(({ date }) => date))].sort()
  const days = dates.length > 1 ? `${dates[0]} – ${dates.at(-1)}` : dates[0]
  const share = `${((100 * noticed) / changes).toFixed(1)} %`
  return `| \`${room}\` | ${scores.length} | ${changes} | ${noticed} (${share}) | ${explained} | ${changes - noticed - explained} | ${days} |`
}
