/** Defines a strategy type, or changes one. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { Field, textIn } from '../field.tsx';
import { Loaded } from '../loaded.tsx';
import { Page } from '../page.tsx';
import { useNextPage } from '../use-next-page.ts';
import { ReasonField, reasonIn } from '../write/reason-field.tsx';
import { useWrite, type WriteQuery } from '../write/use-write.tsx';
import { type Parameter, ParameterRows } from './parameter-rows.tsx';
import { strategyTypesQuery } from './strategy-types-query.ts';

export function NewStrategyTypePage() {
  return (
    <Page title="New strategy type">
      <p className="hint">Vexil sends the strategies of a flag to its clients. Your clients implement the type.</p>
      <Form type={undefined} />
    </Page>
  );
}

export function EditStrategyTypePage({ name }: { readonly name: string }) {
  const query = useQuery(strategyTypesQuery);
  return (
    <Page title={name}>
      <Loaded query={query}>
        {(types) => {
          const type = types.find((one) => one.name === name && one.editable);
          return type ? <Form key={name} type={type} /> : <p>There is no strategy type {name} that can be edited.</p>;
        }}
      </Loaded>
    </Page>
  );
}

interface StrategyTypeInput {
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly parameters: Parameter[];
}

function send(type: Schemas['StrategyType'] | undefined, { name, ...body }: StrategyTypeInput, query: WriteQuery) {
  if (!type) return answerOf(api.POST('/api/admin/strategies', { params: { query }, body: { name, ...body } }));
  const path = { strategyName: type.name };
  return answerOf(api.PUT('/api/admin/strategies/{strategyName}', { params: { path, query }, body }));
}

function Form({ type }: { readonly type: Schemas['StrategyType'] | undefined }) {
  const goTo = useNextPage();
  const [parameters, setParameters] = useState<readonly Parameter[]>(type?.parameters ?? []);
  const { write, isPending, problem } = useWrite({
    what: 'strategy type',
    send: (wanted: StrategyTypeInput, query: WriteQuery) => send(type, wanted, query),
    onDone: () => goTo('/strategies'),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = (name: string) => textIn(event.currentTarget, name) || null;
    const [displayName, description] = [text('displayName'), text('description')];
    const wanted = { name: type?.name ?? text('name') ?? '', displayName, description, parameters: [...parameters] };
    write(wanted, reasonIn(event.currentTarget));
  };
  return (
    <>
      <form className="form" onSubmit={submit}>
        {!type && (
          <Field label="Name" hint="As clients know it. It cannot be changed.">
            {(ids) => <input {...ids} name="name" required maxLength={100} autoComplete="off" />}
          </Field>
        )}
        <Field label="Name for people">
          {(ids) => <input {...ids} name="displayName" maxLength={200} defaultValue={type?.displayName} />}
        </Field>
        <Field label="Description">
          {(ids) => <textarea {...ids} name="description" rows={3} defaultValue={type?.description} />}
        </Field>
        <ParameterRows parameters={parameters} onChange={setParameters} />
        <ReasonField />
        <div className="actions">
          <Link href="/strategies" className="button">
            Cancel
          </Link>
          <button type="submit" className="primary" disabled={isPending}>
            Save
          </button>
        </div>
      </form>
      {problem}
    </>
  );
}
