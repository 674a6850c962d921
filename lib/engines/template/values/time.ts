import { durationText, MILLISECOND, nearestDuration, SECOND } from '../../../foundations/go/duration.ts'
import { formatTime, startOfDay, yearDay } from './time-format.ts'
import { int, type ParameterType, Struct, TemplateFunction, UNDERLYING, type Value } from './value.ts'
import { LOCAL, UTC, type Zone } from './zone.ts'

const DEFAULT_LAYOUT = '2006-01-02 15:04:05.999999999 -0700 MST'

/** An instant like time.Time: nanoseconds since 1970 and its time zone. Templates can call its methods. */
export class Time extends Struct {
  readonly nanoseconds: bigint
  readonly zone: Zone

  constructor(nanoseconds: bigint, zone: Zone = LOCAL) {
    super('time.Time', new Map(), new Map(), () => this.format(DEFAULT_LAYOUT))
    this.nanoseconds = nanoseconds
    this.zone = zone
  }

  override method(name: string): TemplateFunction | undefined {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name]! : undefined
    return method && new TemplateFunction(method[0], (...args) => method[1](this, ...(args as never[])))
  }

  /** Whole seconds since 1970, rounded down. */
  get seconds(): bigint {
    return (this.nanoseconds - this.fraction) / SECOND
  }

  /** Nanoseconds within the second. */
  get fraction(): bigint {
    return ((this.nanoseconds % SECOND) + SECOND) % SECOND
  }

  /** Date and clock in the time's own zone; read with the UTC getters. */
  get clock(): Date {
    const clock = new Date((Number(this.seconds) + this.zone.offset) * 1000)
    if (Number.isNaN(clock.getTime())) throw new Error('the time is outside the supported range of years')
    return clock
  }

  override toJson(): Value {
    return this.format('2006-01-02T15:04:05.999999999Z07:00')
  }

  format(layout: string): string {
    return formatTime({ clock: this.clock, fraction: Number(this.fraction), zone: this.zone }, layout)
  }
}

/** time.Unix: an instant by seconds since 1970, in the local zone unless given. */
export const timeOf = (seconds: bigint, zone?: Zone): Time => new Time(seconds * SECOND, zone)

/** 0001-01-01 00:00:00 UTC: the zero value of a time. */
export const zeroTime = (): Time => timeOf(-62_135_596_800n, UTC)

type Method = readonly [parameters: readonly ParameterType[], call: (time: Time, ...args: never[]) => Value]

const named = (typeName: string, value: Value, text: string): Struct =>
  new Struct(typeName, new Map([[UNDERLYING, value]]), new Map(), () => text)

const addDate = (time: Time, years: number, months: number, days: number): Time => {
  const [year, month, day] = [time.clock.getUTCFullYear(), time.clock.getUTCMonth(), time.clock.getUTCDate()]
  const moved = startOfDay(year + years, month + months, day + days) - startOfDay(year, month, day)
  return new Time(time.nanoseconds + BigInt(moved) * MILLISECOND, time.zone)
}

const METHODS: Readonly<Record<string, Method>> = {
  Year: [[], ({ clock }) => int(clock.getUTCFullYear())],
  Month: [[], time => named('time.Month', int(time.clock.getUTCMonth() + 1), time.format('January'))],
  Day: [[], ({ clock }) => int(clock.getUTCDate())],
  Weekday: [[], time => named('time.Weekday', int(time.clock.getUTCDay()), time.format('Monday'))],
  YearDay: [[], ({ clock }) => int(yearDay(clock))],
  Hour: [[], ({ clock }) => int(clock.getUTCHours())],
  Minute: [[], ({ clock }) => int(clock.getUTCMinutes())],
  Second: [[], ({ clock }) => int(clock.getUTCSeconds())],
  Nanosecond: [[], ({ fraction }) => int(fraction)],
  Unix: [[], ({ seconds }) => seconds],
  UnixMilli: [[], ({ seconds, fraction }) => seconds * 1000n + fraction / MILLISECOND],
  UnixMicro: [[], ({ seconds, fraction }) => seconds * 1_000_000n + fraction / 1000n],
  UnixNano: [[], ({ nanoseconds }) => BigInt.asIntN(64, nanoseconds)],
  IsZero: [[], ({ nanoseconds }) => nanoseconds === zeroTime().nanoseconds],
  UTC: [[], ({ nanoseconds }) => new Time(nanoseconds, UTC)],
  String: [[], time => time.format(DEFAULT_LAYOUT)],
  Format: [['string'], (time, layout: string) => time.format(layout)],
  Before: [['time.Time'], (time, other: Time) => time.nanoseconds < other.nanoseconds],
  After: [['time.Time'], (time, other: Time) => time.nanoseconds > other.nanoseconds],
  Equal: [['time.Time'], (time, other: Time) => time.nanoseconds === other.nanoseconds],
  Sub: [['time.Time'], (time, other: Time) => durationOf(time.nanoseconds - other.nanoseconds)],
  AddDate: [['int', 'int', 'int'], addDate],
}

const durationOf = (nanoseconds: bigint): Struct => {
  const said = nearestDuration(nanoseconds)
  return named('time.Duration', said, durationText(said))
}
