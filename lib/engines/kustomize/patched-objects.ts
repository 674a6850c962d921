import { Budget, type Limits } from '../../foundations/budget/budget.ts'
import { emitJson } from '../yaml/emit-json.ts'
import type { JsonObject, JsonValue } from '../yaml/json-value.ts'
import { build } from './build.ts'

const resources = 'resources.yaml'

/** Applies fields of a kustomization, such as `patches` and `images`, to objects. Fails with kustomize's message, or BudgetExceeded. */
export const patchedObjects = async (
  objects: readonly JsonObject[],
  fields: object,
  limits: Limits,
): Promise<readonly JsonObject[]> => {
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [resources],
    ...fields,
  }
  const files = new Map([
    ['kustomization.yaml', Buffer.from(emitJson(kustomization as JsonValue))],
    [resources, Buffer.from(objects.map(object => emitJson(object)).join('---\n'))],
  ])
  const names = [...files.keys()].sort()
  const tree = {
    read: (path: string) => files.get(path),
    list: (path: string) => (path === '' ? names : undefined),
  }
  const built = await build(tree, '', { budget: new Budget(limits) })
  return built.resources.map(({ object }) => object as JsonObject)
}
