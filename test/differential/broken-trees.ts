import fc from 'fast-check'
import type { KustomizeTree } from '../bed/kustomize-oracle.ts'
import { kustomizeTrees } from './kustomize-trees.ts'

/** What breaks YAML, paths, patches or a careless object: indicators, types of another kind, names of prototypes. */
const SHARDS = [
  ...['{', '}', '[', ']', ':', ',', '-', '"', "'", '&a ', '*a', '!!binary ', '!x ', '|', '>', '#', '%', '\t', '\n'],
  ...['---\n', '...\n', '<<: ', '? ', 'null', '0x1F', '1e999', '.nan', '~', '\0', '\ufeff', '\u2028', '\ud800', 'é'],
  ...['"__proto__":', '"constructor":', '"toString":1,', '../', '/etc/passwd', '..', '.', 'https://example.test/x'],
  ...['"$patch":"delete",', '"$patch":"replace",', '"path":"/",', '"resources":["."],', '"kind":1,', '"metadata":[],'],
]

const edit = fc.record({
  file: fc.nat(),
  at: fc.nat(),
  drop: fc.nat({ max: 12 }),
  put: fc.constantFrom('', ...SHARDS),
})

/** Trees whose files were damaged at a few places. */
export const brokenTrees: fc.Arbitrary<KustomizeTree> = fc
  .record({ tree: kustomizeTrees, edits: fc.array(edit, { minLength: 1, maxLength: 4 }) })
  .map(({ tree, edits }) => {
    const files = { ...tree.files }
    const paths = Object.keys(files)
    for (const { file, at, drop, put } of edits) {
      const path = paths[file % paths.length]!
      const text = files[path]!
      const start = at % (text.length + 1)
      files[path] = text.slice(0, start) + put + text.slice(start + drop)
    }
    return { files, path: tree.path }
  })
