import { type Trees, tree } from './tree.ts'

const files = {
  'plain.env':
    'a=1\n\n  # note\n#b=2\r\nC=with = sign \r\n\t d=\u00a0x\nempty=\n=nameless\nALONE_NOT_SET\n\u0085\u00a0\u3000e=1',
  'bom.env': '\ufefffirst=1\n\ufeffsecond=2\n',
  'dir/conf.txt': 'key: value\n',
  'late.env': 'a=x\ry\r\n\ufeffb=1\n',
  'empty.txt': '',
  'bom.txt': '\ufefftext\n',
  'lines.txt': 'one\ntwo\n\n',
}

/** A kustomization with a generator of ConfigMaps, and the same of Secrets. */
const both = (entry: string, more = ''): ReturnType<typeof tree>[] => [
  tree(`configMapGenerator:\n- {${entry}}\n${more}`, files),
  tree(`secretGenerator:\n- {${entry}}\n${more}`, files),
]

/** 104, 105 and 106 bytes: base64 of 140 characters fills two lines. */
const long = [51, 52, 104, 105, 106].map(count => `- b${count}=${'x'.repeat(count)}\n`).join('  ')

export const trees: Trees = {
  'data comes from env files, literals and files, whatever they are like': [
    ...both('name: c, envs: [plain.env, bom.env]'),
    ...both('name: c, env: plain.env, envs: [bom.env]'),
    ...both('name: c, envs: [late.env]'),
    ...both(
      `name: c, literals: [a=b=c, 'q="x"', "r='x'", 's="', t=', u="x', v='"', w=, 'x=""', 'line=a\\nb', 'y= "z" ']`,
    ),
    ...both('name: c, files: [dir/conf.txt, empty.txt, k=bom.txt, ../lines.txt=lines.txt, z=./dir/../dir/conf.txt]'),
    ...both('name: c, envs: [bom.env], literals: [a=1, B=2, _=3], files: [lines.txt]'),
    ...both('name: c'),
    ...both('name: c, namespace: ns1'),
    tree('secretGenerator: [{name: s, type: custom, literals: [a=b]}]'),
    tree(`secretGenerator:\n- name: s\n  type: kubernetes.io/tls\n  literals:\n  ${long}`),
  ],
  'a generator without a name, with a key twice, or with a source that is none, is refused': [
    ...both('literals: [a=b]'),
    ...both('name: c, literals: [a=b, a=c]'),
    ...both('name: c, literals: [a=b], files: [a=lines.txt]'),
    ...both('name: c, literals: [nothing]'),
    ...both('name: c, literals: [a=1, =b]'),
    ...both('name: c, files: [a=b=c]'),
    ...both('name: c, files: [=lines.txt]'),
    ...both('name: c, files: [a=]'),
    ...both('name: c, files: [missing.txt]'),
    ...both('name: c, envs: [plain.env, missing.env]'),
    ...both('name: c, env: missing.env, envs: [bom.env], literals: [x]'),
    ...both('name: c, envs: [bom.env, bom.env]'),
    ...both('name: c, behavior: other'),
  ],
  'options are those of the generator, completed by those of the kustomization': [
    ...both('name: c, options: {labels: {z: "1", a: "2"}, annotations: {z: "1", a: "2"}, immutable: true}'),
    ...both('name: c, options: {disableNameSuffixHash: true}'),
    ...both(
      'name: c, literals: [a=b], options: {labels: {z: own, b: own}, annotations: {x: own, b: own}}',
      'generatorOptions: {labels: {z: all, a: all}, annotations: {x: all, a: all}, disableNameSuffixHash: true, immutable: true}\n',
    ),
    ...both('name: c', 'generatorOptions: {labels: {l: all}}\n'),
    ...both('name: c', 'generatorOptions: {annotations: {l: all}}\n'),
    ...both(
      'name: c, options: {disableNameSuffixHash: false, immutable: false}',
      'generatorOptions: {immutable: true}\n',
    ),
    ...both('name: c, options: {disableNameSuffixHash: true, immutable: true}', 'generatorOptions: {}\n'),
  ],
}
