import type { Kind } from '../../../foundations/kinds/kind.ts'
import { namespace as namespaceKind } from '../../../foundations/kinds/namespace.ts'
import { badRequest } from '../../store/api-errors.ts'
import type { FleetIndex } from './fleet-index.ts'
import type { Viewer } from './visible-fleet.ts'

/** Where a caller may list a resource. */
export interface PermittedNamespaces {
  /** In all namespaces: `items` is empty then, as the right to list one thing everywhere is none to list Namespaces. */
  readonly everywhere: boolean
  /** By name. */
  readonly items: readonly string[]
}

/** `resource` as RBAC names it: `runs.fleet.keelson.dev`. Fails with BadRequest without it. */
export const permittedNamespaces = async (
  index: FleetIndex,
  { user, authorize }: Viewer,
  resource: string | null,
): Promise<PermittedNamespaces> => {
  const [, plural, group = ''] = /^([a-z]+)(?:\.([a-z.]+))?$/.exec(resource ?? '') ?? []
  if (!plural)
    throw badRequest(
      `invalid resource=${resource ?? ''}: must be a resource with its group, such as runs.fleet.keelson.dev`,
    )
  const mayList = async (namespace: string): Promise<boolean> => {
    const target = { group, version: '*', resource: plural, subresource: '', namespace, name: '' }
    return (await authorize({ user, verb: 'list', path: '', resource: target })).allowed
  }
  if (await mayList('')) return { everywhere: true, items: [] }
  const { byNamespace } = await index.read(namespaceKind as unknown as Kind)
  const items: string[] = []
  for (const name of byNamespace.get('')?.keys() ?? []) if (await mayList(name)) items.push(name)
  return { everywhere: false, items: items.sort() }
}
