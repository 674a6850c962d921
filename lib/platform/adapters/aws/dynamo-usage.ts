import { noUsage, type Usage, type UsageOf, usageFields } from '../../../foundations/rules/usage.ts'
import { type UsageDay, type UsageStore, usageDays } from '../../ports/usage.ts'
import { number, numberOf, type Table, textOf } from './table.ts'
import { checksPerRecord } from './table-shape.ts'

/** An item per namespace, day and cluster: one write unit for each addition. */
export const dynamoUsage = (table: Table): UsageStore => ({
  checksPerRecord,

  add: async ({ namespace, cluster, day }, usage) => {
    const used = usageFields.filter(field => usage[field] > 0)
    if (used.length === 0) return
    await table.update({
      key: { pk: partition(namespace), sk: `${day}#${cluster}` },
      update: `ADD ${used.map(field => `#${field} :${field}`).join(', ')} SET #ttl = :ttl`,
      values: {
        ...Object.fromEntries(used.map(field => [`:${field}`, number(Math.round(usage[field] * 1000) / 1000)])),
        ':ttl': number(Date.parse(day) / 1000 + usageDays * 86_400),
      },
    })
  },

  read: async (namespace, since) => {
    const found: (UsageDay & UsageOf)[] = []
    const query = { pk: partition(namespace), where: '#sk >= :since', values: { ':since': { S: since } } }
    for await (const item of table.query(query)) {
      const [day = '', cluster = ''] = textOf(item, 'sk').split('#')
      const sums = usageFields.map(field => [field, numberOf(item, field) ?? 0])
      found.push({ namespace, day, cluster, ...noUsage, ...(Object.fromEntries(sums) as Partial<Usage>) })
    }
    return found
  },
})

/** Names of namespaces hold no `#`. */
const partition = (namespace: string): string => `usage#${namespace}`
