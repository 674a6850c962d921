import type { Usage } from '../rules/usage.ts'

/** List prices in US dollars, us-east-1, on demand, free tiers left out. Of November 2026: check them before you rely on them. */
export const awsPrices = {
  lambdaRequest: 0.2e-6,
  lambdaGbSecondArm: 0.0000133334,
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  s3Put: 0.005e-3,
  s3Get: 0.0004e-3,
  sqsRequest: 0.4e-6,
  kmsRequest: 0.03e-4,
  kmsKey: 1,
  logGb: 0.5,
  alarm: 0.1,
  customMetric: 0.3,
  scheduledCall: 1e-6,
  /** Of the table, with point-in-time recovery. */
  tableGbMonth: 0.25 + 0.2,
  bucketGbMonth: 0.023,
} as const

/** Dollars for the functions' time and the table. The other services, and what a hub costs at rest, belong to no tenant. */
export const priceOfUsage = ({ gbMs, readUnits, writeUnits }: Usage): number =>
  (gbMs / 1000) * awsPrices.lambdaGbSecondArm + readUnits * awsPrices.readUnit + writeUnits * awsPrices.writeUnit
