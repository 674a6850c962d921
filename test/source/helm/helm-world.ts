import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import type { HelmChart } from '../../../lib/foundations/kinds/helm-chart.ts'
import type { HelmRepository } from '../../../lib/foundations/kinds/helm-repository.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { extract } from '../../../lib/sources/artifact/extract.ts'
import { builtHelm } from '../../bed/helm-binary.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { shown } from '../../unit/reconcile/world.ts'
import { group } from '../oci/oci-world.ts'
import { openSourceWorld } from '../source-world.ts'

export const needsHelm = {
  skip: builtHelm() ? false : 'helm is not built: npm run conformance -- helm builds it, once',
}
const author = { fieldManager: 'author' }

/** Charts in a folder, and the real helm to pack and publish them. */
export const openWorkshop = () => {
  const folder = endWithTest(disposableDir()).path
  const at = (path: string) => join(folder, path)
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const helm = (...args: string[]) => promisify(execFile)(builtHelm()!, args, { cwd: folder, env })
  return {
    at,
    helm,
    /** Writes a chart and packs it; returns the archive's path. */
    async pack(name: string, version: string, files: Readonly<Record<string, string>> = {}, ...args: string[]) {
      const all = {
        'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
        'values.yaml': 'a: 1\n',
        ...files,
      }
      const chart = `${name}-${version}`
      for (const [path, content] of Object.entries(all)) {
        mkdirSync(dirname(at(`src/${chart}/${name}/${path}`)), { recursive: true })
        writeFileSync(at(`src/${chart}/${name}/${path}`), content)
      }
      mkdirSync(at('charts'), { recursive: true })
      await helm('package', `src/${chart}/${name}`, '-d', 'charts', ...args)
      return at(`charts/${name}-${version}.tgz`)
    },
  }
}

/** Serves the folder as a Helm repository. */
export const serve = async (folder: string, isLet: (request: IncomingMessage) => boolean = () => true) => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    if (!isLet(request)) return void response.writeHead(401).end()
    try {
      const content = readFileSync(join(folder, request.url!))
      const etag = `"${content.length}-${content.toString('latin1').length}-${content.readUInt32BE(content.length - 8)}"`
      const isKnown = request.headers['if-none-match'] === etag
      requests.push(`${request.url}${isKnown ? ' 304' : ''}`)
      response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? undefined : content)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** A hub with Helm's kinds. */
export const openHelmWorld = async (...options: Parameters<typeof openSourceWorld>) => {
  const world = await openSourceWorld(...options)
  const ref = (kind: string, name: string) => ({ group, kind, namespace: 'default', name })
  return {
    ...world,
    async applies(kind: string, name: string, spec: object, metadata: object = {}) {
      const apiVersion = kind === 'Secret' ? 'v1' : `${group}/v1`
      const body = kind === 'Secret' ? { stringData: spec } : { spec: { interval: '10m', ...spec } }
      const object = { apiVersion, kind, metadata: { name, namespace: 'default', ...metadata }, ...body }
      const place = kind === 'Secret' ? { ...ref(kind, name), group: '' } : ref(kind, name)
      await world.hub.patch(place, { type: 'apply', object: object as KubernetesObject }, { ...author, force: true })
      await world.settle()
    },
    async chart(name: string) {
      return (await world.hub.get<HelmChart>(ref('HelmChart', name)))?.status
    },
    async repository(name: string) {
      return (await world.hub.get<HelmRepository>(ref('HelmRepository', name)))?.status
    },
    async conditions(name: string, kind = 'HelmChart') {
      return shown(await world.hub.get(ref(kind, name))).join('\n')
    },
    async bytes(name: string) {
      const { artifact } = (await world.hub.get<HelmChart>(ref('HelmChart', name)))!.status!
      return Buffer.from((await world.platform.artifacts.get(blobNameOf(artifact!)))!)
    },
    async files(name: string) {
      const tree = await extract(await this.bytes(name))
      return Object.fromEntries([...tree].map(([path, { content }]) => [path, Buffer.from(content).toString()]))
    },
  }
}

/** What a chart comes from. */
export const from = (name: string, kind = 'HelmRepository') => ({ sourceRef: { kind, name } })
