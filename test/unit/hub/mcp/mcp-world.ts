import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { trimmed } from '../../../../lib/foundations/fleet/trimmed.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import { fleetIndex } from '../../../../lib/hub/apiserver/fleet/fleet-index.ts'
import { fleetReports } from '../../../../lib/hub/apiserver/fleet/fleet-reports.ts'
import { accessControl } from '../../../../lib/hub/authorize/access-control.ts'
import { bootstrapRoles } from '../../../../lib/hub/authorize/bootstrap-roles.ts'
import { withMcp } from '../../../../lib/hub/mcp/mcp-endpoint.ts'
import { by, hubWorld, registry } from '../store/world.ts'

/** A hub that agents ask as `admin`, or as a tenant who has a role in the namespace apps. */
export const mcpWorld = async ({ allowsWrites = false, allowsDecisions = false, role = 'flux-view' } = {}) => {
  const { hub, clock, platform } = await hubWorld()
  await bootstrapRoles(hub)
  const { authorizer } = accessControl({ hub, clock, onError: error => assert.fail(String(error)) }, 0)
  const requests: { readonly line: string; readonly agent: string | null }[] = []
  const server = createApiServer({
    ...{ hub, clock, kinds: () => registry, authorizer, fleet: fleetReports(fleetIndex(hub, trimmed), clock) },
    authenticate: async request => {
      const token = request.headers.get('authorization')?.replace('Bearer ', '')
      if (token === 'admin') return { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
      return token === 'tenant' ? { name: 'tenant', groups: ['system:authenticated'] } : undefined
    },
  })
  const errors: unknown[] = []
  const handle = withMcp({
    api: async (request, ...others) => {
      const { pathname } = new URL(request.url)
      requests.push({ line: `${request.method} ${pathname}`, agent: request.headers.get('user-agent') })
      return server(request, ...others)
    },
    ...{ clock, random: platform.random, version: '1.2.3', allowsWrites, allowsDecisions },
    docs: { sections: async () => [{ page: 'clusters', heading: 'Windows', text: 'A window holds changes back.' }] },
    onError: error => errors.push(error),
  })
  for (const name of ['apps', 'others'])
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, by('test'))
  await hub.create(
    {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' },
      metadata: { name: 'tenant', namespace: 'apps' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'tenant' }],
    },
    by('test'),
  )
  const connect = async (token: string) => {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL('http://hub.test/mcp'), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: async (url, init) => handle(new Request(url, init as RequestInit)),
    })
    await client.connect(transport)
    return client
  }
  const put = async ({ status, ...object }: KubernetesObject) => {
    await hub.create(object as KubernetesObject, by('test'))
    await hub.update({ ...object, status } as KubernetesObject, { ...by('test'), subresource: 'status' })
  }
  const add = (unit: KubernetesObject, more: object = {}) => {
    const spec = { ...{ interval: '10m', prune: true, path: './' }, ...(unit.spec as object), ...more }
    return put({ ...unit, apiVersion: 'kustomize.toolkit.fluxcd.io/v1', spec } as KubernetesObject)
  }
  return { hub, handle, connect, put, add, requests, errors }
}

interface ToolResult {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Found
}

/** Of what the tools find, what these tests look at. */
interface Found {
  readonly isReady?: boolean
  readonly headline?: string
  readonly total?: number
  readonly continue?: string
  readonly items?: readonly Item[]
  readonly onlyOnFirst?: readonly string[]
  readonly different?: readonly Readonly<Record<'first' | 'second', { readonly revision?: string }>>[]
  readonly object?: { readonly spec: { readonly postBuild?: { readonly substitute?: unknown } } }
  readonly units?: readonly object[]
  readonly refused?: readonly string[]
}

interface Item {
  readonly namespace: string
  readonly name: string
  readonly page?: string
  readonly clusters: readonly string[]
}

export const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
  (await client.callTool({ name, arguments: args })) as ToolResult
