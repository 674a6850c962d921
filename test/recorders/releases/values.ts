import type { Scenario } from '../../conformance/flux/scenario.ts'
import {
  apply,
  chart,
  configMap,
  type Fields,
  failed,
  notInstalled,
  patch,
  ready,
  release,
  step,
  story,
} from './story.ts'

const isVersion = (version: number) => ({ ref: 'rel/app', ready: 'True', version })
const shown = chart('1.0.0', {
  'templates/cm.yaml': configMap('{{ .Release.Name }}-cm', {}).replace(
    '"data":{}',
    '"data":{"values": {{ .Values | toJson | quote }} }',
  ),
  'values.yaml': 'a:\n  b: 1\n  c: [1, 2]\ngreeting: hello\n',
})

const source = (
  kind: 'ConfigMap' | 'Secret',
  name: string,
  data: Readonly<Record<string, string>>,
  labels?: Fields,
) => ({
  ...{ apiVersion: 'v1', kind, metadata: { name, ...(labels && { labels }) } },
  ...(kind === 'Secret' ? { stringData: data } : { data }),
})
const from = (...valuesFrom: readonly Fields[]) => ({ valuesFrom })
const cm = (more: Fields = {}) => ({ kind: 'ConfigMap', name: 'vals', ...more })

const simple = (
  id: string,
  title: string,
  checklist: readonly string[],
  data: Readonly<Record<string, string>>,
  spec: Fields,
  until = ready,
) =>
  story(
    `values-${id}`,
    title,
    checklist,
    [shown],
    [step([apply(source('ConfigMap', 'vals', data) as never), apply(release(spec))], until)],
  )

export const valuesStories: readonly Scenario[] = [
  simple(
    'path-list',
    'targetPath into a list',
    ['HR-027', 'HR-033'],
    { v: 'x' },
    from(cm({ valuesKey: 'v', targetPath: 'a.c[1]' })),
  ),
  simple(
    'path-number',
    'targetPath takes a number',
    ['HR-028'],
    { v: '12' },
    from(cm({ valuesKey: 'v', targetPath: 'a.b' })),
  ),
  simple(
    'path-quoted',
    'a quoted number is text',
    ['HR-028'],
    { v: '"12"' },
    from(cm({ valuesKey: 'v', targetPath: 'a.b' })),
  ),
  simple(
    'path-quoted-single',
    'a number in single quotes is text',
    ['HR-028'],
    { v: "'true'" },
    from(cm({ valuesKey: 'v', targetPath: 'a.b' })),
  ),
  simple(
    'path-set-list',
    '{x,y} is a list',
    ['HR-033'],
    { v: '{x,y}' },
    from(cm({ valuesKey: 'v', targetPath: 'a.b' })),
  ),
  simple(
    'path-literal',
    'literal',
    ['HR-029'],
    { v: '{x,y}=[1],a\\b' },
    from(cm({ valuesKey: 'v', targetPath: 'a.b', literal: true })),
  ),
  simple(
    'path-null',
    'null takes a value out',
    ['HR-033', 'HR-144'],
    { v: 'null' },
    from(cm({ valuesKey: 'v', targetPath: 'a.b' })),
  ),
  simple(
    'path-over-inline',
    'targetPath goes before the inline values',
    ['HR-027'],
    { v: 'theirs' },
    { ...from(cm({ valuesKey: 'v', targetPath: 'greeting' })), values: { greeting: 'ours' } },
  ),
  simple('not-yaml', 'values that are no YAML', ['HR-031'], { 'values.yaml': 'a: [' }, from(cm()), failed),
  simple('not-a-map', 'values that are a list', ['HR-031'], { 'values.yaml': '- a\n- b\n' }, from(cm()), failed),
  simple('key-missing', 'a key that is not there', ['HR-030'], { other: 'x' }, from(cm()), failed),
  simple('key-optional', 'an optional key that is not there', ['HR-030'], { other: 'x' }, from(cm({ optional: true }))),
  simple('empty', 'empty values', ['HR-034'], { 'values.yaml': '' }, { ...from(cm()), values: {} }),
  simple('null-deletes', 'null deletes a default of the chart', ['HR-144'], { 'values.yaml': 'a: null\n' }, from(cm())),
  simple(
    'merge',
    'values merge deep, lists are replaced',
    ['HR-026'],
    { 'values.yaml': 'a:\n  c: [9]\n  d: 4\n' },
    { ...from(cm()), values: { a: { e: 5 } } },
  ),
  story(
    'values-object-missing',
    'a Secret that is not there',
    ['HR-030'],
    [shown],
    [
      step([apply(release(from({ kind: 'Secret', name: 'none' })))], failed),
      step(
        [apply(source('Secret', 'none', { 'values.yaml': 'greeting: now\n' }) as never), { reconcile: ['rel/app'] }],
        ready,
      ),
    ],
  ),
  story(
    'values-watched',
    'a watched ConfigMap changes',
    ['HR-032'],
    [shown],
    [
      step(
        [
          apply(
            source(
              'ConfigMap',
              'vals',
              { 'values.yaml': 'greeting: one\n' },
              { 'reconcile.fluxcd.io/watch': 'Enabled' },
            ) as never,
          ),
          apply(release(from(cm()))),
        ],
        ready,
      ),
      step([{ patch: { ref: 'ConfigMap/vals', patch: { data: { 'values.yaml': 'greeting: two\n' } } } }], isVersion(2)),
    ],
  ),
  story(
    'values-watched-secret',
    'a watched Secret changes',
    ['HR-032'],
    [shown],
    [
      step(
        [
          apply(
            source(
              'Secret',
              'vals',
              { 'values.yaml': 'greeting: one\n' },
              { 'reconcile.fluxcd.io/watch': 'Enabled' },
            ) as never,
          ),
          apply(release(from({ kind: 'Secret', name: 'vals' }))),
        ],
        ready,
      ),
      step(
        [
          apply(
            source(
              'Secret',
              'vals',
              { 'values.yaml': 'greeting: two\n' },
              { 'reconcile.fluxcd.io/watch': 'Enabled' },
            ) as never,
          ),
        ],
        isVersion(2),
      ),
    ],
  ),
  story(
    'values-schema',
    'a schema that the values miss',
    ['HR-147'],
    [
      chart('1.0.0', {
        'values.schema.json': '{"type":"object","properties":{"greeting":{"type":"integer"}},"required":["size"]}',
      }),
    ],
    [step([apply(release())], failed), step([patch({ install: { disableSchemaValidation: true } })], ready)],
  ),
  story(
    'values-subchart',
    'a subchart with its condition',
    ['HR-144', 'HR-145'],
    [
      chart('1.0.0', {
        'Chart.yaml':
          'apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- name: sub\n  version: 0.1.0\n  repository: ""\n  condition: sub.enabled\n',
        'values.yaml': 'greeting: hello\nglobal: {color: red}\nsub:\n  enabled: true\n  size: 3\n',
        'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 0.1.0\n',
        'charts/sub/values.yaml': 'size: 1\n',
        'charts/sub/templates/cm.yaml': configMap('{{ .Release.Name }}-sub', {
          size: '{{ .Values.size }}',
          color: '{{ .Values.global.color }}',
        }),
      }),
    ],
    [step([apply(release())], ready), step([patch({ values: { sub: { enabled: false } } })], isVersion(2))],
  ),
  story(
    'values-digest',
    'values of all kinds have the digest that is recorded',
    ['HR-034', 'HR-103'],
    [shown],
    [
      step(
        [
          apply(
            release({
              values: {
                z: [1, 2.5, true, null, 'x: y'],
                m: { 'a b': '', n: '0x10', o: '1e3', p: 'yes' },
                text: 'two\nlines\n',
                long: 'x'.repeat(100),
              },
            }),
          ),
        ],
        ready,
      ),
    ],
  ),
  story(
    'values-secret-shown',
    'a value is not told in an error',
    ['HR-088', 'HR-147'],
    [chart('1.0.0', { 'values.schema.json': '{"type":"object","properties":{"password":{"type":"integer"}}}' })],
    [
      step(
        [
          apply(source('Secret', 'vals', { 'values.yaml': 'password: s3cr3t\n' }) as never),
          apply(release(from({ kind: 'Secret', name: 'vals' }))),
        ],
        failed,
      ),
    ],
  ),
  story(
    'render-functions',
    'functions of Helm’s templates',
    ['HR-135', 'HR-134', 'HR-138'],
    [
      chart('1.0.0', {
        'values.yaml': 'greeting: hello\nm: {b: 1, a: [x, 2]}\n',
        'files/a.txt': 'one\ntwo\n',
        'templates/_h.tpl': '{{ define "app.name" }}{{ .Chart.Name }}-{{ .name | default "x" }}{{ end }}',
        'templates/f.yaml': [
          'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: f\ndata:',
          '  include: {{ include "app.name" (dict "Chart" .Chart "name" "n") | quote }}',
          '  tpl: {{ tpl "{{ .Values.greeting }}" . | quote }}',
          '  yaml: {{ toYaml .Values.m | quote }}',
          '  json: {{ toJson .Values.m | quote }}',
          '  toml: {{ toToml .Values.m | quote }}',
          '  from: {{ (fromYaml "a: 1").a | quote }}',
          '  fromArray: {{ fromYamlArray "[1, 2]" | toJson | quote }}',
          '  fromJson: {{ (fromJson "{\\"a\\": 1}").a | quote }}',
          '  bad: {{ fromYaml "a: [" | toJson | quote }}',
          '  required: {{ required "needs it" .Values.greeting | quote }}',
          '  lookup: {{ lookup "v1" "Namespace" "" .Release.Namespace | dig "metadata" "name" "none" | quote }}',
          '  lines: {{ .Files.Lines "files/a.txt" | toJson | quote }}',
          '  glob: {{ (.Files.Glob "files/*").AsConfig | quote }}',
          '  sha: {{ sha256sum "a" }}',
          '  host: {{ getHostByName "localhost" | quote }}',
          '  release: {{ printf "%s %s %t %t %v %s" .Release.Name .Release.Namespace .Release.IsInstall .Release.IsUpgrade .Release.Revision .Release.Service | quote }}',
        ].join('\n'),
      }),
    ],
    [step([apply(release())], ready)],
  ),
  story(
    'render-random',
    'what is random at each rendering makes no upgrade',
    ['HR-153'],
    [
      chart('1.0.0', {
        'templates/r.yaml':
          'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: r\ndata:\n  same: {{ len (randAlphaNum 8) | quote }}\n  n: {{ eq (uuidv4) (uuidv4) | quote }}\n',
      }),
    ],
    [
      step([apply(release())], ready),
      step([{ reconcile: ['rel/app'] }], { ref: 'rel/app', ready: 'True', handled: true }),
    ],
  ),
  story(
    'render-bad-yaml',
    'a template that makes no YAML',
    ['HR-142', 'HR-052'],
    [chart('1.0.0', { 'templates/b.yaml': 'apiVersion: v1\nkind: ConfigMap\n  metadata: [\n' })],
    [step([apply(release())], notInstalled)],
  ),
  story(
    'render-no-kind',
    'a document without a kind',
    ['HR-120', 'HR-052'],
    [chart('1.0.0', { 'templates/b.yaml': 'a: b\n' })],
    [step([apply(release())], notInstalled)],
  ),
  story(
    'render-no-name',
    'an object without a name',
    ['HR-120', 'HR-052'],
    [chart('1.0.0', { 'templates/b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n' })],
    [step([apply(release())], notInstalled)],
  ),
  story(
    'render-fail',
    'a chart that fails by itself',
    ['HR-142', 'HR-052'],
    [chart('1.0.0', { 'templates/b.yaml': '{{ fail "set a size" }}' })],
    [step([apply(release())], notInstalled)],
  ),
  story(
    'render-nil',
    'a field of nothing',
    ['HR-142', 'HR-141'],
    [chart('1.0.0', { 'templates/b.yaml': 'a: {{ .Values.one.two.three }}' })],
    [step([apply(release())], failed)],
  ),
  story(
    'render-strategy-nohooks',
    'postRenderStrategy nohooks',
    ['HR-091'],
    [chart('1.0.0', { 'templates/h.yaml': configMap('h', {}, { 'helm.sh/hook': 'pre-install' }) })],
    [step([apply(release({ postRenderStrategy: 'nohooks', commonMetadata: { labels: { team: 'a' } } }))], ready)],
    { observe: ['ConfigMap/h'] },
  ),
  story(
    'render-strategy-separate',
    'postRenderStrategy separate: an object in both',
    ['HR-091'],
    [
      chart('1.0.0', {
        'templates/h.yaml': configMap('same', {}, { 'helm.sh/hook': 'pre-install' }),
        'templates/o.yaml': configMap('same'),
      }),
    ],
    [step([apply(release({ postRenderStrategy: 'separate', commonMetadata: { labels: { team: 'a' } } }))], ready)],
    { observe: ['ConfigMap/same'] },
  ),
  story(
    'render-strategy-combined',
    'the same object as hook and in the manifest, combined',
    ['HR-091'],
    [
      chart('1.0.0', {
        'templates/h.yaml': configMap('same', {}, { 'helm.sh/hook': 'pre-install' }),
        'templates/o.yaml': configMap('same'),
      }),
    ],
    [step([apply(release())], failed)],
  ),
  story(
    'render-wait-ready',
    'an upgrade whose values fail, then are right',
    ['HR-052', 'HR-053'],
    [chart('1.0.0', { 'templates/b.yaml': '{{ if .Values.bad }}{{ fail "bad" }}{{ end }}' })],
    [
      step([apply(release())], ready),
      step([patch({ values: { bad: true } })], failed),
      step([patch({ values: { bad: false } })], isVersion(2)),
    ],
  ),
]
