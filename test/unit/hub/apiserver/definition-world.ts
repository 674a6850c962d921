import assert from 'node:assert/strict'
import { type Core, composeCore } from '../../../../lib/compose/core.ts'
import { defaultSettings } from '../../../../lib/compose/settings/settings.ts'
import { admin } from '../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { embeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { endWithTest } from '../../../bed/teardown.ts'
import { disposableDir } from '../../../bed/temp-dir.ts'
import { wires } from '../../../bed/wires.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'
import type { Answer, SendOptions } from './world.ts'
import { requestOf } from './world.ts'

export const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const widgets = '/apis/example.com/v1/namespaces/default/widgets'
export const merge = 'application/merge-patch+json'

export const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', default: 3, minimum: 1 },
        color: { type: 'string', pattern: '^[a-z]+$' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, weight: { type: 'number' } },
          },
        },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        port: { 'x-kubernetes-int-or-string': true },
      },
      'x-kubernetes-validations': [
        { rule: "!has(self.color) || !self.color.matches('^bad')", message: 'no bad colors' },
        { rule: 'self.size >= oldSelf.size', message: 'may not shrink' },
      ],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
}

export const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  selectableFields: [{ jsonPath: '.spec.color' }],
  ...more,
})

export const definition = (names: object = {}, versions: object[] = [version('v1')], group = 'example.com') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${(names as { plural?: string }).plural ?? 'widgets'}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'], ...names },
    versions,
  },
})

export const widget = (spec: object = {}, name = 'a') => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
})

const settings = { ...defaultSettings, artifactAddress: 'http://127.0.0.1:1' }
const log = {
  info: () => {},
  error: (message: string, fields?: object) => {
    throw new Error(message, { cause: fields })
  },
}

/** The product without a platform's listeners: the API by which an admin calls it. Another over the same store is another process. */
export const world = async (rolesMaxAgeMs = Number.POSITIVE_INFINITY) => {
  const dir = disposableDir()
  const clock = manualClock()
  const connections = wires()
  const platform = await embeddedPlatform(dir.path, { clock })
  const processes = [composeCore({ ...platform, log, connections }, { ...settings, rolesMaxAgeMs })]
  await processes[0]!.hub.prepare()
  endWithTest({
    async [Symbol.asyncDispose]() {
      for (const core of processes) {
        await core.hub.settled()
        await core.close()
      }
      await platform.close()
      await dir[Symbol.asyncDispose]()
    },
  })
  const sending = (core: Core) => {
    const handle = core.api(async () => admin)
    return async (method: string, path: string, options: SendOptions = {}): Promise<Answer> => {
      const response = await handle(requestOf(method, path, options))
      const text = await response.text()
      const json = text.startsWith('{') ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, text, json }
    }
  }
  const core = processes[0]!
  const send = sending(core)
  return {
    core,
    clock,
    send,
    another: () => {
      processes.push(composeCore({ ...platform, log, connections }, { ...settings, rolesMaxAgeMs }))
      return sending(processes.at(-1)!)
    },
    told: async (method: string, path: string, body?: unknown, type?: string) => {
      const { status, json, text } = await send(method, path, { body, type })
      return status < 300 ? `${status}` : `${status} ${json?.message ?? text.trim()}`
    },
    /** A hub that serves widgets. */
    defined: async (given: object = definition()) => {
      const { status, text } = await send('POST', root, { body: given })
      assert.equal(status, 201, text)
      await core.hub.settled()
    },
  }
}
