import React, { useEffect } from 'react';
import { useNavigate } from 'react-router';

/** In place of a dashboard: what people come for. */
export default function FormsFirst() {
  const navigate = useNavigate();
  useEffect(() => navigate('/admin/resources/forms', { replace: true }), []);
  return <></>;
}
