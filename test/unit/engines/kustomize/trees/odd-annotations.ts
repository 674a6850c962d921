import { type Trees, tree } from './tree.ts'

const INTERNAL = 'internal.config.kubernetes.io'
const object = (kind: string, name: string, annotations: string, more = '') =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  annotations: ${annotations}\n${more}`

/** Copies what a build keeps in annotations. */
const shown = `patches: [{target: {kind: .*}, patch: '[{"op": "copy", "from": "/metadata/annotations", "path": "/shown"}]'}]\n`

const built = (lines: string, ...objects: readonly string[]) =>
  tree(`resources: [r.yaml]\n${lines}`, { 'r.yaml': objects.join('---\n') })

/** Takes a value from whatever was called `old`, in the namespace of those that have none. */
const fromOld =
  'replacements: [{source: {name: old, namespace: default, fieldPath: data.x}, targets: [{select: {name: b}, fieldPaths: [data.y], options: {create: true}}]}]\n'

export const trees: Trees = {
  'annotations that are not there yet hold what a build remembers': [
    built(`namePrefix: p-\n${shown}`, object('ConfigMap', 'a', 'null'), object('ConfigMap', 'b', '{}')),
    built(
      `namePrefix: p-\n${shown}`,
      object('ConfigMap', 'a', `{z: z, ${INTERNAL}/a: a, a: 5, ${INTERNAL}/zz: x}`),
      object(
        'Secret',
        'a',
        `{${INTERNAL}/prefixes: "x,y", ${INTERNAL}/suffixes: "", ${INTERNAL}/helm-generated: "true"}`,
      ),
    ),
  ],
  'an object may come with names that it had before': [
    built(
      fromOld,
      object('ConfigMap', 'a', `{${INTERNAL}/previousNames: old}`, 'data: {x: found}\n'),
      object('Secret', 'b', '{}'),
    ),
    ...['old', 'older', 'oldest'].map(name =>
      built(
        fromOld.replace('old,', `${name},`),
        object(
          'ConfigMap',
          'a',
          `{${INTERNAL}/previousNames: "old,older", ${INTERNAL}/previousKinds: "A,B", ${INTERNAL}/previousNamespaces: "default,there"}`,
          'data: {x: found}\n',
        ),
        object('Secret', 'b', '{}'),
      ),
    ),
  ],
  'names with commas are mixed up with others that an object had, or refused': [
    tree('resources: [r.yaml]\nnamespace: ns\nnamePrefix: p-\n', {
      'r.yaml': 'apiVersion: v1\nkind: "K,L"\nmetadata: {name: "a,b", namespace: "c,d"}\n',
    }),
    tree('resources: [r.yaml]\nnamePrefix: p-\n', {
      'r.yaml': 'apiVersion: v1\nkind: "K,L"\nmetadata: {name: "a,b", namespace: "c,d"}\n',
    }),
    tree('resources: [r.yaml]\nnamePrefix: p-\n', { 'r.yaml': 'apiVersion: v1\nkind: K\nmetadata: {name: "a,b"}\n' }),
    tree('resources: [r.yaml]\n', { 'r.yaml': 'apiVersion: v1\nkind: K\nmetadata: {name: "a,b"}\n' }),
  ],
}
