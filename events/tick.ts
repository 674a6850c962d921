/** The event that EventBridge Scheduler sends to the tick each minute. Its content is not used: the hub knows what is due. */
export const sample = {
  version: '0',
  id: '53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa',
  'detail-type': 'Scheduled Event',
  source: 'aws.scheduler',
  account: '123456789012',
  time: '2026-01-01T00:00:00Z',
  region: 'us-east-1',
  resources: ['arn:aws:scheduler:us-east-1:123456789012:schedule/default/keelson-tick'],
  detail: '{}',
}
