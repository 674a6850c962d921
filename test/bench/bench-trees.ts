import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { definitionTree } from './crd-trees.ts'

type Fields = Record<string, unknown>

const deployment = (name: string, image: string): Fields => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        serviceAccountName: name,
        containers: [
          {
            name: 'main',
            image: `${image}:1.0.0`,
            args: ['--port=8080', '--log=info'],
            ports: [{ containerPort: 8080, name: 'http' }],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', valueFrom: { configMapKeyRef: { name: `${name}-cfg`, key: 'b' } } },
            ],
            resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
            readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
            volumeMounts: [{ name: 'cfg', mountPath: '/etc/cfg' }],
          },
        ],
        volumes: [{ name: 'cfg', configMap: { name: `${name}-cfg` } }],
      },
    },
  },
})

const service = (name: string): Fields => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels: { app: name } },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
})

const serviceAccount = (name: string): Fields => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } })

const configMap = (name: string): Fields => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `${name}-cfg` },
  data: { b: '2', 'app.yaml': 'server:\n  host: h\n  port: 8080\nlog: info\n' },
})

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
const two = (n: number): string => String(n).padStart(2, '0')
const documents = (...objects: Fields[]): string => objects.map(object => stringify(object)).join('---\n')
const kustomization = (fields: Fields): string =>
  stringify({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...fields })

/** A workload in a base, and an overlay of the usual changes. */
const small = (): Record<string, string> => ({
  'base/deployment.yaml': documents(deployment('web', 'nginx')),
  'base/service.yaml': documents(service('web')),
  'base/kustomization.yaml': kustomization({ resources: ['deployment.yaml', 'service.yaml'] }),
  'overlay/kustomization.yaml': kustomization({
    namespace: 'prod',
    namePrefix: 'prod-',
    resources: ['../base'],
    images: [{ name: 'nginx', newTag: '1.27.0' }],
    replicas: [{ name: 'web', count: 3 }],
    labels: [{ pairs: { env: 'prod' }, includeSelectors: false }],
  }),
})

/** 25 workloads, 100 objects, with generated configuration, selectors, and patches of both kinds. */
const medium = (): Record<string, string> => {
  const names = range(25).map(i => `app${two(i)}`)
  const limits = (name: string): Fields => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 3,
      template: { spec: { containers: [{ name: 'main', resources: { limits: { memory: '256Mi' } } }] } },
    },
  })
  const files: Record<string, string> = {}
  names.forEach((name, i) => {
    files[`base/${name}.yaml`] = documents(deployment(name, `repo/img${i % 5}`), service(name), serviceAccount(name))
  })
  files['base/kustomization.yaml'] = kustomization({
    resources: names.map(name => `${name}.yaml`),
    configMapGenerator: names.map((name, i) => ({ name: `${name}-cfg`, literals: ['b=2', `n=${i}`] })),
  })
  files['overlay/kustomization.yaml'] = kustomization({
    namespace: 'prod',
    nameSuffix: '-p',
    resources: ['../base'],
    images: range(5).map(i => ({ name: `repo/img${i}`, newName: `reg.example/img${i}`, newTag: '2.0' })),
    labels: [{ pairs: { env: 'prod', team: 'x' }, includeSelectors: true }],
    commonAnnotations: { note: 'perf' },
    patches: [
      {
        target: { kind: 'Deployment' },
        patch: '- op: add\n  path: /spec/template/spec/containers/0/env/-\n  value: {name: C, value: "3"}\n',
      },
      ...names.slice(0, 10).map(name => ({ patch: stringify(limits(name)) })),
    ],
    configMapGenerator: names.slice(0, 5).map(name => ({ name: `${name}-cfg`, behavior: 'merge', literals: ['c=3'] })),
  })
  return files
}

/** 50 teams with 10 workloads each, 2,000 objects, below one root. */
const large = (): Record<string, string> => {
  const files: Record<string, string> = {}
  const teams = range(50).map(i => `b${two(i)}`)
  teams.forEach((team, index) => {
    const first = `${team}-app0`
    for (const i of range(10)) {
      const name = `${team}-app${i}`
      const objects = [deployment(name, `repo/img${i % 5}`), service(name), serviceAccount(name), configMap(name)]
      files[`bases/${team}/app${i}.yaml`] = documents(...objects)
    }
    files[`bases/${team}/kustomization.yaml`] = kustomization({ resources: range(10).map(i => `app${i}.yaml`) })
    const env = { spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', value: '9' }] }] } } } }
    files[`overlays/${team}/kustomization.yaml`] = kustomization({
      namespace: `ns${two(index)}`,
      resources: [`../../bases/${team}`],
      images: range(5).map(i => ({ name: `repo/img${i}`, newTag: '2.0' })),
      labels: [{ pairs: { tier: `t${index}` } }],
      patches: [
        { target: { kind: 'Deployment' }, patch: '- op: replace\n  path: /spec/replicas\n  value: 2\n' },
        { patch: stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: first }, ...env }) },
      ],
      replacements: [
        {
          source: { kind: 'Service', name: first, fieldPath: 'spec.ports.0.port' },
          targets: [{ select: { kind: 'ConfigMap' }, fieldPaths: ['data.b'] }],
        },
      ],
    })
  })
  files['root/kustomization.yaml'] = kustomization({
    resources: teams.map(team => `../overlays/${team}`),
    commonAnnotations: { owner: 'perf' },
  })
  return files
}

/** Trees of what users have, by size, with the directory to build; in shape those of the test bed. */
export const benchTrees: Readonly<
  Record<string, { readonly files: () => Record<string, string>; readonly path: string }>
> = {
  small: { files: small, path: 'overlay' },
  medium: { files: medium, path: 'overlay' },
  large: { files: large, path: 'root' },
  crds: { files: () => definitionTree(10, 3), path: 'default' },
  'many-crds': { files: () => definitionTree(40, 3), path: 'default' },
}

export const writeFiles = (directory: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
