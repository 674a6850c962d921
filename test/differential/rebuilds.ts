import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { BuildCache, type BuildOptions, build, printResources } from '../../lib/engines/kustomize/build.ts'
import { KustomizeError } from '../../lib/engines/kustomize/kustomize-error.ts'
import { memoryTree } from '../conformance/memory-tree.ts'
import { brokenTrees } from './broken-trees.ts'
import { kustomizeTrees } from './kustomize-trees.ts'

export type Files = Readonly<Record<string, string>>

/** One directory that is built again and again, while its files change. */
export interface History {
  readonly path: string
  readonly states: readonly Files[]
}

/** Words of generated trees: names, kinds, values. Another one in a word's place mostly leaves a tree that can be built. */
const WORDS = [
  'web',
  'api',
  'db',
  'ns1',
  'prod',
  'nginx',
  'img0',
  'main',
  'side',
  'Deployment',
  'ConfigMap',
  'p-',
  '80',
  'v1',
]

const edit = fc.record({
  file: fc.nat(),
  kind: fc.constantFrom('note', 'word', 'word', 'word', 'drop', 'graft', 'restore'),
  at: fc.nat(),
  word: fc.constantFrom(...WORDS),
})

type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

const edited = (files: Files, { file, kind, at, word }: Edit, first: Files, other: Files): Files => {
  const paths = Object.keys(first)
  const path = paths[file % paths.length]!
  const { [path]: text = '', ...rest } = files
  switch (kind) {
    case 'note':
      return { ...files, [path]: `${text}# ${at}\n` }
    case 'word': {
      const places = [...text.matchAll(new RegExp(WORDS.join('|'), 'g'))]
      const place = places[at % Math.max(places.length, 1)]
      if (!place) return files
      return { ...files, [path]: text.slice(0, place.index) + word + text.slice(place.index + place[0].length) }
    }
    case 'drop':
      return rest
    case 'graft':
      return { ...files, [path]: other[path] ?? text }
    default:
      return { ...files, [path]: first[path]! }
  }
}

/** The same with every object in a file of its own, so that one can change and another that refers to it stay. */
const separated = ({ 'base/all.yaml': all = '', ...files }: Files, isTraced: boolean): Files => {
  const out: Record<string, string> = {}
  const objects = all.split('---\n')
  for (const [i, object] of objects.entries()) out[`base/${i}.yaml`] = object
  for (const [path, text] of Object.entries(files)) {
    const split = text.replace('"all.yaml"', objects.map((_, i) => `"${i}.yaml"`).join())
    out[path] = isTraced
      ? split
      : split.replace('"buildMetadata"', '"metadata"').replaceAll(/("metadata":)\[[^\]]*\]/g, '$1{}')
  }
  return out
}

/** Trees that change file by file, at times to ones that can't be built, and back. */
export const histories: fc.Arbitrary<History> = fc
  .record({
    tree: kustomizeTrees,
    other: fc.oneof(kustomizeTrees, brokenTrees),
    isTraced: fc.boolean(),
    edits: fc.array(edit, { minLength: 1, maxLength: 6 }),
  })
  .map(({ tree, other, isTraced, edits }) => {
    const [first, second] = [tree, other].map(({ files }) => separated(files, isTraced))
    const states = [first!]
    for (const one of edits) states.push(edited(states.at(-1)!, one, first!, second!))
    return { path: tree.path, states }
  })

/** All that a build says. */
const outcome = async (files: Files, path: string, options: BuildOptions): Promise<unknown> => {
  try {
    const { resources, filesRead, warnings } = await build(memoryTree(files), path, options)
    const objects = resources.map(({ object, origin }) => ({ object, origin }))
    return { output: printResources(resources), objects, filesRead, warnings }
  } catch (error) {
    if (!(error instanceof KustomizeError)) return (error as Error).stack
    const { message, file, field } = error
    return { message, file, field }
  }
}

/** Where a rebuild with a cache says something else than a build from nothing; undefined when it never does. */
export const differenceOfRebuilds = async (
  { path, states }: History,
  options: BuildOptions = {},
): Promise<string | undefined> => {
  const cache = new BuildCache()
  for (const [i, files] of states.entries()) {
    const rebuilt = await outcome(files, path, { ...options, cache })
    const anew = await outcome(files, path, options)
    if (!isDeepStrictEqual(rebuilt, anew))
      return `build ${i + 1} of ${states.length} differs with a cache:\n${shown(rebuilt)}\nwithout:\n${shown(anew)}`
  }
  return undefined
}

const shown = (outcome: unknown): string =>
  JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : (value as unknown)), 2)
