import type { ServedKind } from '../kinds/all.ts'
import type { KubernetesObject } from '../kinds/object.ts'

export const includeObjectOf = (query: URLSearchParams) => query.get('includeObject') ?? 'Metadata'

export const tableText = (_served: ServedKind, _objects: readonly KubernetesObject[], _options: object): string => '{}'
