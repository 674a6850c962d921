import type { RemovalPolicy } from 'aws-cdk-lib'
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { tableShape } from '../lib/platform/adapters/aws/table-shape.ts'
import { allow } from './allow.ts'
import type { ItemAccess } from './item-access.ts'

const { partitionKey, sortKey, ttl, indexes } = tableShape

/** The hub's table: objects, their change log, due times and leases. */
export const hubTable = (scope: Construct, key: IKey, removalPolicy: RemovalPolicy): Table => {
  const table = new Table(scope, 'HubTable', {
    partitionKey: text(partitionKey),
    sortKey: text(sortKey),
    timeToLiveAttribute: ttl,
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.CUSTOMER_MANAGED,
    encryptionKey: key,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: removalPolicy !== 'destroy',
    removalPolicy,
  })
  for (const index of indexes)
    table.addGlobalSecondaryIndex({
      indexName: index.name,
      partitionKey: text(index.partitionKey),
      sortKey: text(index.sortKey),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...index.projected],
    })
  return table
}

/** A table restored from a backup. It has keys and indexes; the operator enables TTL and point-in-time recovery. */
export const restoredTable = (scope: Construct, name: string, key: IKey): ITable =>
  Table.fromTableAttributes(scope, 'RestoredTable', { tableName: name, encryptionKey: key })

const text = (name: string) => ({ name, type: AttributeType.STRING })

const reading = ['GetItem', 'BatchGetItem', 'Query']
const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'ConditionCheckItem']

/** Allows access to items of the table: to all, or to those of `access`. Allows neither scans nor changes of its settings. */
export const allowItems = (table: ITable, role: Role, access?: ItemAccess): void => {
  const allowed = { service: 'dynamodb', resources: [table.tableArn] }
  if (access) {
    const { reads, writes } = access
    allow(role, { ...allowed, actions: reading, conditions: ofPartitions([...new Set([...reads, ...writes])]) })
    allow(role, { ...allowed, actions: writing, conditions: ofPartitions(writes) })
  } else allow(role, { ...allowed, actions: [...reading, ...writing] })
}

/** `ForAllValues` alone also matches a request without a key. */
const ofPartitions = (keys: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  Null: { 'dynamodb:LeadingKeys': 'false' },
})

/** Allows queries for due objects. */
export const allowIndexes = (table: ITable, role: Role): void =>
  allow(role, {
    service: 'dynamodb',
    actions: ['Query'],
    resources: indexes.map(({ name }) => `${table.tableArn}/index/${name}`),
  })
