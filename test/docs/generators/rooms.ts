import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { rooms as floorPlan, houseOf, roomOf } from '../../bed/floor-plan.ts'
import { importsOf } from '../../bed/imports-of.ts'
import { type Generator as DocumentGenerator, withPart } from '../generator.ts'

const path = 'docs/architecture.md'

/** The picture of docs/architecture.md, drawn from the imports: which house sees which. */
export const rooms: DocumentGenerator = {
  name: 'rooms',
  make: root => ({ [path]: withPart(readFileSync(join(root, path), 'utf8'), 'rooms', roomsOf(sourcesAt(root))) }),
}

/** The same of any sources: texts by path, from the root. */
export const roomsOf = (sources: Iterable<readonly [path: string, text: string]>): string =>
  picture(importsBetweenHouses(sources))

const tops = ['functions', 'lib', 'infra', 'events']

function* sourcesAt(root: string): Generator<readonly [string, string]> {
  const tracked = execFileSync('git', ['ls-files', ...tops], { cwd: root, encoding: 'utf8' })
  for (const file of tracked.split('\n').filter(file => /\.tsx?$/.test(file) && existsSync(join(root, file))))
    yield [file, readFileSync(join(root, file), 'utf8')]
}

/** As a revision had them. */
export function* sourcesOf(root: string, revision: string): Generator<readonly [string, string]> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 })
  const listed = git('ls-tree', '-r', '--name-only', revision, ...tops)
  for (const file of listed.split('\n').filter(file => /\.tsx?$/.test(file)))
    yield [file, git('show', `${revision}:${file}`)]
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** A box is a house; before there were any, a room. */
const boxOf = (file: string): string => houseOf(roomOf(file))

const importsBetweenHouses = (sources: Iterable<readonly [path: string, text: string]>): Graph => {
  const graph = new Map<string, Set<string>>()
  for (const [file, text] of sources) {
    const seen = graph.get(boxOf(file)) ?? new Set()
    graph.set(boxOf(file), seen)
    for (const { from } of importsOf(text)) {
      const box = from.startsWith('.') ? boxOf(normalize(join(dirname(file), from))) : boxOf(file)
      if (box !== boxOf(file)) seen.add(box)
    }
  }
  return new Map([...graph].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** An arrow stands for "sees"; who sees a room by way of another has no arrow of its own. */
const picture = (graph: Graph): string => {
  const named = [...graph.keys()].flatMap(house => {
    const inside = Object.keys(floorPlan).filter(room => room.startsWith(`${house}/`))
    return inside.length > 0
      ? [`  ${house}["${house}: ${inside.map(room => room.slice(house.length + 1)).join(', ')}"]`]
      : []
  })
  const arrows = [...graph].flatMap(([box, seen]) => {
    const direct = [...seen].filter(room => ![...seen].some(other => other !== room && reaches(graph, other, room)))
    return direct.length > 0 ? [`  ${box} --> ${direct.sort().join(' & ')}`] : []
  })
  return ['```mermaid', 'flowchart TB', ...named, ...arrows, '```'].join('\n')
}

const reaches = (graph: Graph, from: string, to: string): boolean =>
  [...(graph.get(from) ?? [])].some(next => next === to || reaches(graph, next, to))
