import type { HealthExpressions } from '../../../../../lib/engines/cel/health-expressions.ts'

const observed = (observedGeneration: unknown, generation: unknown, phase = 'Ready') => ({
  metadata: { name: 'one', generation },
  status: { observedGeneration, phase },
})

interface HealthQuestion {
  readonly health: HealthExpressions
  readonly data: Readonly<Record<string, unknown>>
}

const phases: HealthExpressions = {
  current: "status.phase == 'Ready'",
  failed: "status.phase in ['Failed', 'Both']",
  inProgress: "status.phase in ['Working', 'Both']",
}

/** Objects and what tells their health. */
export const healthQuestions: Readonly<Record<string, readonly HealthQuestion[]>> = {
  'the first that holds decides: in progress, failed, current': [
    ...['Ready', 'Failed', 'Working', 'Both', 'Other'].flatMap(phase => [
      { health: phases, data: { status: { phase } } },
      { health: { current: phases.current }, data: { status: { phase } } },
      { health: { current: phases.current, failed: phases.failed! }, data: { status: { phase } } },
      { health: { current: phases.current, inProgress: phases.inProgress!, failed: '' }, data: { status: { phase } } },
    ]),
  ],
  'what was not observed yet is in progress': [
    ...[
      observed(1, 2),
      observed(2, 2),
      observed(3, 2),
      observed(0, 2),
      observed(0, 0),
      observed('1', 2),
      observed(1, '2'),
      observed(null, 2),
      observed(1, null),
      observed(1.5, 2),
      observed(1, 2.5),
      observed(true, 2),
      { status: { observedGeneration: 1, phase: 'Ready' } },
      { metadata: { generation: 1 }, status: { phase: 'Ready' } },
      { metadata: null, status: { observedGeneration: 1, phase: 'Ready' } },
      { metadata: 'text', status: { observedGeneration: 1, phase: 'Ready' } },
      { metadata: {}, status: { observedGeneration: 1, phase: 'Ready' } },
      { metadata: { generation: 2 }, status: 'text' },
      { metadata: { generation: 2 }, status: null },
      { metadata: { generation: 2 }, status: [1] },
      { metadata: { generation: 2 } },
      {},
    ].map(data => ({ health: phases, data })),
  ],
  'what can not be read, or not be evaluated, says so': [
    { health: { current: '' }, data: {} },
    { health: { current: 'status.' }, data: {} },
    { health: { current: 'true', failed: '1 +' }, data: {} },
    { health: { current: 'true', inProgress: ')' }, data: {} },
    { health: { current: '(', failed: '(', inProgress: '(' }, data: {} },
    { health: { current: "int('x') == 1" }, data: {} },
    { health: { current: 'true', failed: "int('x') == 1" }, data: {} },
    { health: { current: "'text'" }, data: {} },
    { health: { current: 'true', failed: '1' }, data: {} },
    { health: { current: 'true', inProgress: 'null' }, data: {} },
    { health: { current: 'status.phase' }, data: {} },
    { health: { current: "status.phase == 'a'" }, data: { status: {} } },
    { health: { current: "status.conditions.exists(c, c.type == 'Ready')" }, data: { status: {} } },
    { health: { current: 'true', failed: "status.phase == 'Failed'" }, data: { status: {} } },
    { health: { current: 'missing || true' }, data: {} },
  ],
}
