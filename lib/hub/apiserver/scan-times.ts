import { type ImageRepository, imageRepository } from '../../foundations/kinds/image-repository.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { Hub } from '../store/hub.ts'
import type { ResourceRequest } from './request-info.ts'

/** When visits last found objects unchanged, in milliseconds since the epoch, by refKey; not known for all of them. */
export type LastChecks = (objects: readonly KubernetesObject[]) => Promise<ReadonlyMap<string, number>>

type Reads = Pick<Hub, 'get' | 'pages'>

/**
 * The hub, in which an ImageRepository that is read says when it was last scanned. A scan that finds the same tags writes nothing, so what is stored
 * may be hours old.
 */
export const withScanTimes = <H extends Reads>(
  hub: H,
  { verb, group, resource, subresource }: ResourceRequest,
  lastChecks: LastChecks | undefined,
): H => {
  const isRead = (verb === 'get' || verb === 'list') && !subresource
  if (!lastChecks || !isRead || group !== imageRepository.group || resource !== imageRepository.plural) return hub
  const withTimes = async <T extends KubernetesObject>(objects: readonly T[]): Promise<readonly T[]> => {
    const checks = await lastChecks(objects)
    return objects.map(object => scannedAt(object, checks.get(refKey(refOf(object)))))
  }
  return {
    ...hub,
    get: async <T extends KubernetesObject>(...args: Parameters<Hub['get']>) => {
      const object = await hub.get<T>(...args)
      return object && (await withTimes([object]))[0]
    },
    async *pages<T extends KubernetesObject>(...args: Parameters<Hub['pages']>) {
      for await (const page of hub.pages<T>(...args)) {
        const objects = await withTimes(page.items.map(({ object }) => object))
        yield { ...page, items: objects.map(object => ({ object, json: JSON.stringify(object) })) }
      }
    },
  }
}

const scannedAt = <T extends KubernetesObject>(object: T, checkedAt = 0): T => {
  const { lastScanResult } = (object.status ?? {}) as NonNullable<ImageRepository['status']>
  if (!lastScanResult || !(checkedAt > Date.parse(lastScanResult.scanTime ?? ''))) return object
  const status = { ...(object.status as object), lastScanResult: { ...lastScanResult, scanTime: timestamp(checkedAt) } }
  return { ...object, status }
}
